// CVM's shifts and its clip as instances of clip and rescale.
#include <algorithm>

#include "base/status_macros.h"
#include "ops/elementwise/attrs.h"
#include "ops/lowerings.h"
#include "ops/rescale/attrs.h"

namespace tally {
namespace {

// The largest value of a CVM precision; the smallest is its negative.
int64_t Alpha(int64_t precision) { return (int64_t{1} << (precision - 1)) - 1; }

absl::StatusOr<Value> RescaleByOne(Composition& c, Value x, int64_t multiplier, int64_t shift,
                                   int64_t alpha) {
  return c.Apply(Opcode::kRescale,
                 {x, c.Constant({1}, {multiplier}), c.Constant({1}, {0}), c.Constant({1}, {shift})},
                 RescaleAttrs{.lo = -alpha, .hi = alpha, .rounding = Rounding::kHalfUp});
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerCvmClip(Composition& c, std::span<const Value> operands,
                                                const Attributes& attributes) {
  const int64_t alpha = Alpha(Unpack<CvmClipAttrs>(attributes).precision);
  return One(c.Apply(Opcode::kClip, {operands[0]}, ClipAttrs{-alpha, alpha}));
}

absl::StatusOr<std::vector<Value>> LowerCvmRightShift(Composition& c, std::span<const Value> operands,
                                                      const Attributes& attributes) {
  const auto attrs = Unpack<CvmShiftAttrs>(attributes);
  return One(RescaleByOne(c, operands[0], 1, attrs.shift_bit, Alpha(attrs.precision)));
}

// Saturating before and between the multiplications changes nothing: what exceeds alpha stays beyond it. A
// multiplier has at most 30 bits, so a longer shift takes two.
absl::StatusOr<std::vector<Value>> LowerCvmLeftShift(Composition& c, std::span<const Value> operands,
                                                     const Attributes& attributes) {
  const auto attrs = Unpack<CvmShiftAttrs>(attributes);
  const int64_t alpha = Alpha(attrs.precision);
  ASSIGN_OR_RETURN(Value y, c.Apply(Opcode::kClip, {operands[0]}, ClipAttrs{-alpha, alpha}));
  for (int64_t left = attrs.shift_bit; left > 0;) {
    const int64_t shift = std::min<int64_t>(left, 30);
    ASSIGN_OR_RETURN(y, RescaleByOne(c, y, int64_t{1} << shift, 0, alpha));
    left -= shift;
  }
  return std::vector<Value>{y};
}

}  // namespace tally
