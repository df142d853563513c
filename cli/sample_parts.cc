#include "cli/sample_parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tally::cli {
namespace {

// One of so many samples is for the verdict, and for the search.
constexpr int64_t kForVerdict = 4, kForSearch = 8;

// `share` of `numbers`, which have the rest then.
std::vector<int64_t> TakeFrom(std::vector<int64_t>& numbers, int64_t share, bool in_order) {
  const int64_t count = std::ssize(numbers);
  std::vector<int64_t> taken, rest;
  for (int64_t i = 0; i < count; ++i) {
    const bool is_taken = in_order ? i >= count - share : (i + 1) * share / count > i * share / count;
    (is_taken ? taken : rest).push_back(numbers[static_cast<size_t>(i)]);
  }
  numbers = std::move(rest);
  return taken;
}

}  // namespace

SampleParts PartsOf(int64_t count, bool in_order) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  if (count == 1) return {numbers, numbers, numbers};
  SampleParts parts;
  parts.verdict = TakeFrom(numbers, std::max<int64_t>(count / kForVerdict, 1), in_order);
  parts.search = count == 2 ? numbers : TakeFrom(numbers, std::max<int64_t>(count / kForSearch, 1), in_order);
  parts.ranges = std::move(numbers);
  return parts;
}

int64_t SamplesForVerdict(int64_t verdict) { return verdict * kForVerdict; }

}  // namespace tally::cli
