// The results of IntegerArithmetic, and their range.
#include <algorithm>
#include <cstdlib>

#include "base/int_math.h"
#include "quant/ops/integer/integer_ops.h"

namespace tally::quant {
namespace {

using Kind = IntegerArithmetic::Kind;
using Wide = __int128;

constexpr int64_t kMostBits = 62;  // to shift by, and the largest exponent
std::optional<Wide> Power(Wide base, int64_t exponent) {
  constexpr Wide kMost = Wide{1} << 63;
  Wide power = 1;
  for (int64_t i = 0; i < exponent; ++i) {
    power *= base;
    if (power > kMost || power < -kMost) return std::nullopt;
  }
  return power;
}

Wide Floor(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

// Without regard to 64 bits.
std::optional<Wide> WideResult(Kind kind, Wide a, int64_t b) {
  const bool is_count = b >= 0 && b <= kMostBits;
  switch (kind) {
    case Kind::kAdd: return a + b;
    case Kind::kSub: return a - b;
    case Kind::kMul: return a * b;
    case Kind::kMax: return std::max<Wide>(a, b);
    case Kind::kMin: return std::min<Wide>(a, b);
    case Kind::kDivide: return b == 0 ? std::nullopt : std::optional<Wide>(a / b);
    case Kind::kFloorDivide: return b == 0 ? std::nullopt : std::optional<Wide>(Floor(a, b));
    case Kind::kModulo: return b == 0 ? std::nullopt : std::optional<Wide>(a - b * Floor(a, b));
    case Kind::kRemainder: return b == 0 ? std::nullopt : std::optional<Wide>(a % b);
    case Kind::kPower: return is_count ? Power(a, b) : std::nullopt;
    case Kind::kShiftLeft: return is_count ? std::optional<Wide>(a * (Wide{1} << b)) : std::nullopt;
    case Kind::kShiftRight: return is_count ? std::optional<Wide>(a >> b) : std::nullopt;
    case Kind::kBitAnd: return a & b;
    case Kind::kBitOr: return a | b;
    case Kind::kBitXor: return a ^ b;
  }
  __builtin_unreachable();
}

// The ends of what is monotone in each operand are at corners.
std::optional<Interval> OfCorners(Kind kind, const Interval& a, const Interval& b) {
  std::optional<Wide> lo, hi;
  for (const int64_t x : {a.lo, a.hi}) {
    for (const int64_t y : {b.lo, b.hi}) {
      const std::optional<Wide> corner = WideResult(kind, x, y);
      if (!corner.has_value()) return std::nullopt;
      lo = std::min(lo.value_or(*corner), *corner);
      hi = std::max(hi.value_or(*corner), *corner);
    }
  }
  return IntervalWithin(*lo, *hi);
}

int64_t LargestMagnitude(const Interval& x) { return std::max(std::abs(x.lo), std::abs(x.hi)); }

// All integers with as many bits as the longer operand; none below 0 where no operand is.
std::optional<Interval> OfBits(const Interval& a, const Interval& b) {
  const auto longest = static_cast<uint64_t>(std::max(LargestMagnitude(a), LargestMagnitude(b)));
  const Wide count = Wide{1} << BitLength(longest);
  return IntervalWithin(a.lo < 0 || b.lo < 0 ? -count : 0, count - 1);
}

}  // namespace

std::optional<int64_t> IntegerArithmetic::Exactly(int64_t a, int64_t b) const {
  const std::optional<Wide> result = WideResult(kind, a, b);
  if (!result.has_value() || *result != static_cast<int64_t>(*result)) return std::nullopt;
  return static_cast<int64_t>(*result);
}

int64_t IntegerArithmetic::Compute(int64_t a, int64_t b) const {
  return static_cast<int64_t>(WideResult(kind, a, b).value_or(0));
}

std::optional<Interval> IntegerArithmetic::IntervalFrom(OperandIntervals operands,
                                                        const OperandTypes&) const {
  if (!operands[0].has_value() || !operands[1].has_value()) return std::nullopt;
  const Interval a = *operands[0], b = *operands[1];
  const int64_t dividend = LargestMagnitude(a), most_left = std::max<int64_t>(LargestMagnitude(b) - 1, 0);
  const int64_t smaller = std::min(dividend, most_left);
  switch (kind) {
    case Kind::kAdd:
    case Kind::kSub:
    case Kind::kMul:
    case Kind::kMax:
    case Kind::kMin:
    case Kind::kShiftRight: return OfCorners(kind, a, b);
    case Kind::kShiftLeft: return OfCorners(kind, a, b);
    case Kind::kDivide:
    case Kind::kFloorDivide: return Interval{a.lo >= 0 && b.lo >= 0 ? 0 : -dividend, dividend};
    case Kind::kModulo:
      return Interval{b.lo < 0 ? -most_left : 0, b.hi > 0 ? (a.lo >= 0 ? smaller : most_left) : 0};
    case Kind::kRemainder: return Interval{a.lo < 0 ? -smaller : 0, a.hi > 0 ? smaller : 0};
    case Kind::kPower: {
      const std::optional<Wide> most = b.lo < 0 || b.hi > kMostBits ? std::nullopt : Power(dividend, b.hi);
      if (!most.has_value()) return std::nullopt;
      return IntervalWithin(a.lo < 0 ? -*most : 0, std::max<Wide>(*most, 1));
    }
    case Kind::kBitAnd:
      if (a.lo >= 0 && b.lo >= 0) return Interval{0, std::min(a.hi, b.hi)};
      return OfBits(a, b);
    case Kind::kBitOr:
    case Kind::kBitXor: return OfBits(a, b);
  }
  __builtin_unreachable();
}

}  // namespace tally::quant
