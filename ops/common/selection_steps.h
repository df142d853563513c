// One element of an order, without sorting: the greatest integer that at most so many are before.
#pragma once

#include <cstdint>
#include <optional>

#include "ops/expansion.h"

namespace tally {

// A line of x as keys, of which the least come first; of equal keys the lower position. An entry whose
// integer of `in` is 0 is left out; none is where there is no such column.
struct Keys {
  Column x;
  bool descending;
  int64_t lo, hi;  // where the keys are
  std::optional<Column> in;

  Keys(Column line, bool descends, const Interval& interval, std::optional<Column> marked = {})
      : x(line),
        descending(descends),
        lo(descends ? ~interval.hi : interval.lo),
        hi(descends ? ~interval.lo : interval.hi),
        in(marked) {}

  template <typename Int>
  Int operator()(const StepReads<Int>& r, int64_t i) const {
    return Element(r(x, i));
  }
  template <typename Int>
  bool Has(const StepReads<Int>& r, int64_t i) const {
    return !in || r(*in, i) != Int(int64_t{0});
  }
  // The key of an element, and the element of a key: -1 - x puts all of 64 bits in descending order.
  template <typename Int>
  Int Element(const Int& key) const {
    return descending ? Int(Int(int64_t{-1}) - key) : key;
  }
};

// The key with `rank(r)` entries before it.
template <typename Int, typename Rank>
Column SelectKey(Expansion<Int>& e, const Keys& keys, Rank rank) {
  return e.Bisect(
      keys.x.length, keys.lo, keys.hi, rank,
      [keys](const StepReads<Int>& r, int64_t i, const Int& t) { return keys.Has(r, i) && keys(r, i) < t; });
}

// That entry, with its position.
struct Selected {
  Column key, position;

  // Whether entry i is before it, or is it.
  template <typename Int>
  bool Reaches(const StepReads<Int>& r, const Keys& keys, int64_t i) const {
    if (!keys.Has(r, i)) return false;
    const Int own = keys(r, i), limit = r(key);
    return own < limit || (own == limit && Int(i) <= r(position));
  }
};

template <typename Int, typename Rank>
Selected Select(Expansion<Int>& e, const Keys& keys, Rank rank) {
  const Column key = SelectKey(e, keys, rank);
  const Column before = e.SumOf(keys.x.length, [=](const StepReads<Int>& r, int64_t i) {
    return keys.Has(r, i) && keys(r, i) < r(key);
  });
  const auto equals_before = [=](const StepReads<Int>& r, int64_t i, const Int& t) {
    return Int(i) < t && keys.Has(r, i) && keys(r, i) == r(key);
  };
  const auto rank_of_equals = [=](const StepReads<Int>& r) { return Int(rank(r) - r(before)); };
  return {key, e.Bisect(keys.x.length, 0, keys.x.length - 1, rank_of_equals, equals_before)};
}

// A rank that is known.
template <typename Int>
auto Rank(int64_t rank) {
  return [rank](const StepReads<Int>&) { return Int(rank); };
}

}  // namespace tally
