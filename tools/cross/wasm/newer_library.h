// The algorithms of C++20 that Emscripten's library, of 2021, lacks: as the standard has them, for the
// calls that this tree makes. It is included before every source that is compiled for WebAssembly.
#pragma once

#ifdef __cplusplus

#include <algorithm>
#include <compare>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>
#include <vector>

namespace std {
namespace ranges {

template <typename Range, typename Test, typename Projection = identity>
constexpr auto find_if(Range&& range, Test test, Projection projection = {}) {
  auto at = ranges::begin(range);
  while (at != ranges::end(range) && !invoke(test, invoke(projection, *at))) ++at;
  return at;
}

template <typename Range, typename Value, typename Projection = identity>
constexpr auto find(Range&& range, const Value& value, Projection projection = {}) {
  return ranges::find_if(
      range, [&](const auto& element) { return element == value; }, projection);
}

template <typename Range, typename Test, typename Projection = identity>
constexpr bool any_of(Range&& range, Test test, Projection projection = {}) {
  return ranges::find_if(range, test, projection) != ranges::end(range);
}

template <typename Range, typename Test, typename Projection = identity>
constexpr bool none_of(Range&& range, Test test, Projection projection = {}) {
  return !ranges::any_of(range, test, projection);
}

template <typename Range, typename Test, typename Projection = identity>
constexpr bool all_of(Range&& range, Test test, Projection projection = {}) {
  return !ranges::any_of(range, not_fn(test), projection);
}

template <typename Range, typename Test, typename Projection = identity>
constexpr ptrdiff_t count_if(Range&& range, Test test, Projection projection = {}) {
  ptrdiff_t count = 0;
  for (auto&& element : range) count += invoke(test, invoke(projection, element)) ? 1 : 0;
  return count;
}

template <typename Range, typename Value>
constexpr ptrdiff_t count(Range&& range, const Value& value) {
  return ranges::count_if(range, [&](const auto& element) { return element == value; });
}

template <typename Range, typename Compare = ranges::equal_to, typename Projection = identity>
constexpr auto adjacent_find(Range&& range, Compare compare = {}, Projection projection = {}) {
  auto at = ranges::begin(range);
  const auto end = ranges::end(range);
  if (at == end) return at;
  for (auto next = std::next(at); next != end; at = next++) {
    if (invoke(compare, invoke(projection, *at), invoke(projection, *next))) return at;
  }
  return end;
}

template <typename In1, typename In2>
struct in_in_result {
  In1 in1;
  In2 in2;
};

template <typename Range, typename Other>
constexpr auto mismatch(Range&& range, Other&& other) {
  const auto [in1, in2] =
      std::mismatch(ranges::begin(range), ranges::end(range), ranges::begin(other), ranges::end(other));
  return in_in_result<decltype(ranges::begin(range)), decltype(ranges::begin(other))>{in1, in2};
}

template <typename Range, typename Other>
constexpr bool equal(Range&& range, Other&& other) {
  return std::equal(ranges::begin(range), ranges::end(range), ranges::begin(other), ranges::end(other));
}

template <typename Range, typename Test>
constexpr auto partition_point(Range&& range, Test test) {
  return std::partition_point(ranges::begin(range), ranges::end(range),
                              [&](const auto& element) { return invoke(test, element); });
}

template <typename Range, typename Value, typename Compare = ranges::less, typename Projection = identity>
constexpr auto lower_bound(Range&& range, const Value& value, Compare compare = {},
                           Projection projection = {}) {
  return ranges::partition_point(
      range, [&](const auto& element) { return invoke(compare, invoke(projection, element), value); });
}

template <typename Range, typename Value, typename Compare = ranges::less, typename Projection = identity>
constexpr auto upper_bound(Range&& range, const Value& value, Compare compare = {},
                           Projection projection = {}) {
  return ranges::partition_point(
      range, [&](const auto& element) { return !invoke(compare, value, invoke(projection, element)); });
}

template <typename Range, typename Out>
constexpr Out copy(Range&& range, Out out) {
  return std::copy(ranges::begin(range), ranges::end(range), out);
}

template <typename Range, typename Out>
constexpr Out move(Range&& range, Out out) {
  return std::move(ranges::begin(range), ranges::end(range), out);
}

template <typename Range, typename Value>
constexpr void fill(Range&& range, const Value& value) {
  std::fill(ranges::begin(range), ranges::end(range), value);
}

template <typename Range, typename Out, typename Function>
constexpr Out transform(Range&& range, Out out, Function function) {
  return std::transform(ranges::begin(range), ranges::end(range), out,
                        [&](auto&& element) { return invoke(function, element); });
}

template <typename Compare, typename Projection>
constexpr auto projected_less(Compare& compare, Projection& projection) {
  return [&](const auto& a, const auto& b) {
    return invoke(compare, invoke(projection, a), invoke(projection, b));
  };
}

template <typename Range, typename Compare = ranges::less, typename Projection = identity>
constexpr void sort(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::sort(ranges::begin(range), ranges::end(range), ranges::projected_less(compare, projection));
}

template <typename Range, typename Compare = ranges::less, typename Projection = identity>
constexpr void stable_sort(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::stable_sort(ranges::begin(range), ranges::end(range), ranges::projected_less(compare, projection));
}

template <typename Range, typename Compare = ranges::less, typename Projection = identity>
constexpr auto max_element(Range&& range, Compare compare = {}, Projection projection = {}) {
  return std::max_element(ranges::begin(range), ranges::end(range),
                          ranges::projected_less(compare, projection));
}

}  // namespace ranges

template <typename T, typename Allocator>
constexpr auto operator<=>(const vector<T, Allocator>& a, const vector<T, Allocator>& b)
    -> decltype(a[0] <=> b[0]) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (const auto order = a[i] <=> b[i]; order != 0) return order;
  }
  return a.size() <=> b.size();
}

}  // namespace std

#endif
