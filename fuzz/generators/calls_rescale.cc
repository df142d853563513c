#include <algorithm>
#include <utility>

#include "fuzz/generators/call_generators.h"
#include "fuzz/generators/values.h"
#include "ops/rescale/attrs.h"

namespace tally {
namespace {

// lo <= hi, often all that the row allows.
std::pair<int64_t, int64_t> RandomClamp(EntropySource& e) {
  const Interval clamp = RandomInterval(e, TensorLimit(Profile::kCore));
  return {clamp.lo, clamp.hi};
}

Rounding RandomRounding(EntropySource& e) {
  return static_cast<Rounding>(e.Between(0, std::ssize(kRoundingNames) - 1));
}

// A number of at most `bits` bits, all lengths equally likely, and its sign.
int64_t RandomSigned(EntropySource& e, int bits) {
  const int64_t magnitude = e.Between(0, (int64_t{1} << e.Between(0, bits)) - 1);
  return e.OneIn(2) ? -magnitude : magnitude;
}

// The interval of operands whose products mostly fit 64 bits.
Interval MostlyFits(EntropySource& e) {
  const int64_t bound = int64_t{1} << (e.OneIn(4) ? 47 : 31);
  return {-bound, bound - 1};
}

// Lists of m, b and s with one entry, or with one for each channel of an axis.
Attempt DrawRescale(CallContext& c) {
  RescaleAttrs attrs;
  const DraftId x = c.Operand({.within = MostlyFits(c.e)});
  const int rank = c.shape(x).rank();
  attrs.axis = c.Axis(rank);
  const bool per_channel = rank > 0 && c.e.OneIn(2);
  const int64_t channels = per_channel ? DimAt(c.shape(x), attrs.axis) : 1;
  attrs.zero_in = c.e.OneIn(2) ? c.e.Between(-128, 127) : 0;
  attrs.zero_out = c.e.OneIn(2) ? c.e.Between(-128, 127) : 0;
  attrs.rounding = RandomRounding(c.e);
  std::tie(attrs.lo, attrs.hi) = RandomClamp(c.e);
  const bool double_rounding = attrs.rounding == Rounding::kDouble;
  std::vector<int64_t> m, b, s;
  for (int64_t i = 0; i < channels; ++i) {
    m.push_back(RandomSigned(c.e, 31));
    if (double_rounding) m.back() = std::abs(m.back());
    b.push_back(double_rounding ? 0 : RandomSigned(c.e, c.e.OneIn(8) ? 62 : 40));
    s.push_back(c.e.Between(0, kMaxRescaleShift));
  }
  const Shape list = ShapeOf({channels});
  return {{x, c.Constant(list, m), c.Constant(list, b), c.Constant(list, s)}, Pack(attrs)};
}

Attempt DrawLincomb(CallContext& c) {
  LincombAttrs attrs;
  attrs.bias = RandomSigned(c.e, 40);
  attrs.shift = c.e.Between(0, kMaxRescaleShift);
  attrs.rounding = RandomRounding(c.e);
  attrs.zero_out = c.e.OneIn(2) ? c.e.Between(-128, 127) : 0;
  std::tie(attrs.lo, attrs.hi) = RandomClamp(c.e);
  Attempt attempt;
  for (int64_t i = c.e.Between(1, 4); i > 0; --i) {
    Want want = {.within = MostlyFits(c.e)};
    if (!attempt.operands.empty()) want.shape = c.shape(attempt.operands[0]);
    attempt.operands.push_back(c.Operand(want));
    attrs.multipliers.push_back(RandomSigned(c.e, 28));
    attrs.zero_points.push_back(c.e.OneIn(2) ? c.e.Between(-128, 127) : 0);
  }
  attempt.attributes = Pack(attrs);
  return attempt;
}

Attempt DrawMulshift(CallContext& c) {
  MulshiftAttrs attrs;
  attrs.rounding = RandomRounding(c.e);
  attrs.multiplier = RandomSigned(c.e, c.e.OneIn(4) ? 31 : 15);
  if (attrs.rounding == Rounding::kDouble) attrs.multiplier = std::abs(attrs.multiplier);
  attrs.shift = c.e.Between(0, kMaxRescaleShift);
  attrs.zero_a = c.e.OneIn(2) ? c.e.Between(-128, 127) : 0;
  attrs.zero_b = c.e.OneIn(2) ? c.e.Between(-128, 127) : 0;
  attrs.zero_out = c.e.OneIn(2) ? c.e.Between(-128, 127) : 0;
  std::tie(attrs.lo, attrs.hi) = RandomClamp(c.e);
  const int64_t bound = int64_t{1} << (c.e.OneIn(4) ? 31 : 22);
  const DraftId a = c.Operand({.within = {-bound, bound - 1}});
  const DraftId b = c.Operand({.shape = BroadcastPartner(c, c.shape(a)), .within = {-bound, bound - 1}});
  return {{a, b}, Pack(attrs)};
}

Attempt DrawCvmLeftShift(CallContext& c) {
  const int64_t shift = c.e.Between(1, 31);
  const DraftId x = c.Operand({.max_precision = static_cast<int>(32 - shift)});
  return {{x}, Pack(CvmShiftAttrs{.precision = c.e.Between(1, 32), .shift_bit = shift})};
}

}  // namespace

CallGenerator FindRescaleCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kRescale: return DrawRescale;
    case Opcode::kLincomb: return DrawLincomb;
    case Opcode::kMulshift: return DrawMulshift;
    case Opcode::kCvmLeftShift: return DrawCvmLeftShift;
    default: return nullptr;
  }
}

}  // namespace tally
