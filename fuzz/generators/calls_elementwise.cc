#include <algorithm>

#include "fuzz/generators/call_generators.h"
#include "fuzz/generators/values.h"
#include "ops/elementwise/attrs.h"

namespace tally {
namespace {

Attempt DrawProduct(CallContext& c) {
  constexpr Interval kFactor = {-(1 << 23), 1 << 23};  // the product stays within 2^47
  const DraftId a = c.Operand({.within = kFactor, .max_precision = 16});
  return {{a, c.Operand({.shape = BroadcastPartner(c, c.shape(a)), .within = kFactor, .max_precision = 16})}};
}

Attempt DrawSamePair(CallContext& c) {
  const DraftId a = c.Operand({.max_precision = 31});
  return {{a, c.Operand({.shape = c.shape(a), .max_precision = 31})}};
}

// A second operand of small numbers that are not negative: an exponent or an amount.
Attempt DrawSmallSecond(CallContext& c, const Interval& first, int64_t most) {
  const DraftId a = c.Operand({.within = first});
  const DraftId b = c.Operand({.shape = BroadcastPartner(c, c.shape(a)), .within = {0, most}});
  return {{a, b}};
}

Attempt DrawPower(CallContext& c) { return DrawSmallSecond(c, {-15, 15}, 8); }
Attempt DrawShiftLeft(CallContext& c) { return DrawSmallSecond(c, {-(1 << 20), 1 << 20}, 26); }
Attempt DrawShiftRight(CallContext& c) {
  return DrawSmallSecond(c, TensorLimit(Profile::kCore), kMaxTensorShift);
}

Attempt DrawClz(CallContext& c) {
  const int64_t bits = c.e.Between(1, 48);
  return {{c.Operand(
              {.within = {TensorLimit(Profile::kCore).lo, (int64_t{1} << std::min<int64_t>(bits, 47)) - 1}})},
          Pack(ClzAttrs{bits})};
}

Attempt DrawClip(CallContext& c) {
  const DraftId x = c.Operand({});
  const Interval clamp = RandomInterval(c.e, TensorLimit(c.draft.profile()));
  return {{x}, Pack(ClipAttrs{.a_min = clamp.lo, .a_max = clamp.hi})};
}

}  // namespace

Shape BroadcastPartner(CallContext& c, const Shape& shape) {
  const int rank = c.e.OneIn(3) ? static_cast<int>(c.e.Between(0, shape.rank())) : shape.rank();
  const auto dims = shape.dims();
  std::vector<int64_t> partner(dims.end() - rank, dims.end());
  for (int64_t& dim : partner) {
    if (c.e.OneIn(4)) dim = 1;
  }
  return ShapeOf(partner);
}

Attempt DrawBroadcast(CallContext& c) {
  const DraftId a = c.Operand({.max_precision = 31});
  const DraftId b = c.Operand({.shape = BroadcastPartner(c, c.shape(a)), .max_precision = 31});
  return c.e.OneIn(2) ? Attempt{{b, a}} : Attempt{{a, b}};
}

CallGenerator FindElementwiseCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kBroadcastAdd:
    case Opcode::kBroadcastSub:
    case Opcode::kBroadcastDiv:
    case Opcode::kBroadcastMax:
    case Opcode::kBroadcastMin:
    case Opcode::kDivide:
    case Opcode::kModulo:
    case Opcode::kBitwiseAnd:
    case Opcode::kBitwiseOr:
    case Opcode::kBitwiseXor: return DrawBroadcast;
    case Opcode::kBroadcastMul: return DrawProduct;
    case Opcode::kElemwiseAdd:
    case Opcode::kElemwiseSub: return DrawSamePair;
    case Opcode::kClip: return DrawClip;
    case Opcode::kPower: return DrawPower;
    case Opcode::kShiftLeft: return DrawShiftLeft;
    case Opcode::kShiftRight: return DrawShiftRight;
    case Opcode::kClz: return DrawClz;
    default: return nullptr;
  }
}

}  // namespace tally
