// Draws for tests that try many cases: the same ones from the same seed, on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "base/interval.h"

namespace tally {

class RandomSource {
 public:
  explicit RandomSource(uint64_t seed) : engine_(seed) {}

  int64_t Between(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(engine_() % (static_cast<uint64_t>(hi - lo) + 1));
  }
  bool OneIn(int n) { return Between(1, n) == n; }
  // Any of the range.
  std::vector<int64_t> Values(int64_t count, const Interval& range) {
    std::vector<int64_t> values(count);
    for (int64_t& v : values) v = Between(range.lo, range.hi);
    return values;
  }
  // The same, or one time in `n` nothing but its ends.
  std::vector<int64_t> ValuesOrEnds(int64_t count, const Interval& range, int n) {
    if (!OneIn(n)) return Values(count, range);
    std::vector<int64_t> values(count);
    for (int64_t& v : values) v = OneIn(2) ? range.lo : range.hi;
    return values;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tally
