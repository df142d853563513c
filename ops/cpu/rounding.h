// The roundings of base/rescale.h for *_loops.cc, as selections instead of branches.
#pragma once

#include <cstdint>

namespace tally::TALLY_ISA {
namespace {

// The numbers of Rounding in base/rescale.h.
enum RoundingCode { kFloor = 0, kHalfUp, kHalfAway, kHalfEven, kDouble, kTrunc, kRoundings };

// Wraps where a signed sum would be undefined; the validator has proven that what matters does not.
[[maybe_unused]] inline int64_t WrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
[[maybe_unused]] inline int64_t WrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// product / 2^shift, 0 <= shift <= 62. `negative` is the sign of what was multiplied.
template <int kRounding>
inline int64_t Rounded(int64_t product, int64_t shift, bool negative) {
  const int64_t power = int64_t{1} << shift;
  const int64_t half = power >> 1;  // 0 where nothing is shifted
  int64_t add = 0;
  if (kRounding == kHalfUp) add = half;
  if (kRounding == kHalfAway) add = half - (((product < 0) & (half > 0)) ? 1 : 0);
  if (kRounding == kHalfEven) add = half > 0 ? half - 1 + (product >> shift & 1) : 0;
  if (kRounding == kDouble) {
    constexpr int64_t kFirstHalf = int64_t{1} << 30;
    add = half + (shift <= 31 ? 0 : negative ? -kFirstHalf : kFirstHalf);
  }
  if (kRounding == kTrunc) add = product < 0 ? power - 1 : 0;
  return WrapAdd(product, add) >> shift;
}

}  // namespace
}  // namespace tally::TALLY_ISA
