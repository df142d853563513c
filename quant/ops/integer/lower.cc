#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "ops/comparison/attrs.h"
#include "ops/elementwise/attrs.h"
#include "ops/reduction/attrs.h"
#include "ops/table/attrs.h"
#include "quant/labels.h"
#include "quant/lower/lowering.h"
#include "quant/ops/integer/integer_ops.h"

namespace tally::quant {
namespace {

// The integer c' for which codes compare with c' as the reals that they stand for compare with c.
int64_t ThresholdFor(Comparison kind, double c, const QuantizedType& x) {
  constexpr double kFar = 0x1p40;  // beyond all codes
  const double code = c / x.scale;
  const double rounded = kind == Comparison::kLess || kind == Comparison::kGreaterEqual   ? std::ceil(code)
                         : kind == Comparison::kLessEqual || kind == Comparison::kGreater ? std::floor(code)
                                                                                          : std::round(code);
  return static_cast<int64_t>(std::clamp(rounded, -kFar, kFar)) + x.zero_point;
}

// Both floats of a comparison on one grid.
absl::StatusOr<std::vector<tally::ValueId>> Comparable(Lowering& lowering, const Node& node,
                                                       Comparison kind) {
  ASSIGN_OR_RETURN(const Lowered a, lowering.Operand(node, 0));
  const Tensor* constant = ConstantOf(lowering.graph(), node.operands[1]);
  if (const auto* c = constant == nullptr ? nullptr : std::get_if<FloatTensor>(constant)) {
    std::vector<int64_t> thresholds;
    for (const float v : c->data) thresholds.push_back(ThresholdFor(kind, v, a.type));
    ASSIGN_OR_RETURN(const tally::ValueId b, lowering.IntegerConstant(c->shape, thresholds));
    return std::vector{a.id, b};
  }
  ASSIGN_OR_RETURN(const Lowered b, lowering.Operand(node, 1));
  constexpr int kGuardBits = 8;
  const double scale = std::ldexp(std::min(a.type.scale, b.type.scale), -kGuardBits);
  const QuantizedType fine{scale, 0, {-(int64_t{1} << 40), int64_t{1} << 40}};
  ASSIGN_OR_RETURN(const tally::ValueId fine_a, lowering.OnGrid(a, fine));
  ASSIGN_OR_RETURN(const tally::ValueId fine_b, lowering.OnGrid(b, fine));
  return std::vector{fine_a, fine_b};
}

}  // namespace

// The numbers themselves, with a step of 1.
QuantizedType ToFloat::GridFrom(std::span<const QuantizedType> operands) const { return operands[0]; }

LoweredResult ToFloat::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  return x.id;
}

// A table of all codes; with a step of 1 codes are the integers themselves.
LoweredResult ToInteger::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(Lowered x, lowering.Operand(node, 0));
  if (x.type.scale == 1) {
    ASSIGN_OR_RETURN(x, lowering.Centered(x));
    return lowering.OnGrid({x.id, x.type}, {1, 0, bounds});
  }
  ASSIGN_OR_RETURN(x, lowering.Within16Bits(x));
  std::vector<int64_t> entries;
  for (int64_t code = x.type.interval.lo; code <= x.type.interval.hi; ++code) {
    const double real = x.type.scale * static_cast<double>(code - x.type.zero_point);
    const double whole = std::round(real);
    entries.push_back(Of(std::abs(real - whole) <= x.type.scale / 2 ? whole : real));
  }
  ASSIGN_OR_RETURN(const tally::ValueId table, lowering.VectorConstant(entries));
  return lowering.builder().Op(Opcode::kTable, {x.id, table}, TableAttrs{.offset = x.type.interval.lo});
}

LoweredResult Compare::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  std::vector<tally::ValueId> operands;
  if (lowering.graph().values[node.operands[0]].type.element == ElementType::kFloat32) {
    ASSIGN_OR_RETURN(operands, Comparable(lowering, node, kind));
  } else {
    for (const size_t i : {0, 1}) {
      ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, i));
      operands.push_back(x.id);
    }
  }
  return lowering.builder().Op(Opcode::kCompare, std::move(operands), CompareAttrs{.kind = kind});
}

LoweredResult IntegerArithmetic::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered a, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered b, lowering.Operand(node, 1));
  ModuleBuilder& builder = lowering.builder();
  const std::vector<tally::ValueId> both = {a.id, b.id};
  switch (kind) {
    case Kind::kAdd: return builder.Op(Opcode::kBroadcastAdd, both);
    case Kind::kSub: return builder.Op(Opcode::kBroadcastSub, both);
    case Kind::kMul: return builder.Op(Opcode::kBroadcastMul, both);
    case Kind::kMax: return builder.Op(Opcode::kBroadcastMax, both);
    case Kind::kMin: return builder.Op(Opcode::kBroadcastMin, both);
    case Kind::kDivide: return builder.Op(Opcode::kDivide, both, DivideAttrs{Rounding::kTrunc});
    case Kind::kFloorDivide: return builder.Op(Opcode::kDivide, both, DivideAttrs{Rounding::kFloor});
    case Kind::kModulo: return builder.Op(Opcode::kModulo, both, ModuloAttrs{Remainder::kFloor});
    case Kind::kRemainder: return builder.Op(Opcode::kModulo, both, ModuloAttrs{Remainder::kTrunc});
    case Kind::kPower: return builder.Op(Opcode::kPower, both);
    case Kind::kShiftLeft: return builder.Op(Opcode::kShiftLeft, both);
    case Kind::kShiftRight: return builder.Op(Opcode::kShiftRight, both, ShiftRightAttrs{Rounding::kFloor});
    case Kind::kBitAnd: return builder.Op(Opcode::kBitwiseAnd, both);
    case Kind::kBitOr: return builder.Op(Opcode::kBitwiseOr, both);
    case Kind::kBitXor: return builder.Op(Opcode::kBitwiseXor, both);
  }
  __builtin_unreachable();
}

// The exact sum of codes whose zero is 0; of floats it is rounded once.
LoweredResult CumulativeSum::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered operand, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered x, lowering.Centered(operand));
  const tally::ValueId sum =
      lowering.builder().Op(Opcode::kCumulativeSum, {x.id},
                            CumulativeSumAttrs{.axis = axis, .exclusive = exclusive, .reverse = reverse});
  if (lowering.graph().values[node.result].type.element == ElementType::kInt64) return sum;
  const auto count = static_cast<uint64_t>(lowering.ShapeOfOperand(node, 0)[static_cast<size_t>(axis)]);
  ASSIGN_OR_RETURN(const FixedMultiplier gain,
                   ToFixedMultiplier(x.type.scale / to.scale, x.type.interval.Magnitude() * count));
  return lowering.Rescale(sum, {.gains = {gain}}, to);
}

LoweredResult Where::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered condition, lowering.Operand(node, 0));
  std::vector<tally::ValueId> operands = {condition.id};
  const bool is_float = lowering.graph().values[node.result].type.element == ElementType::kFloat32;
  for (const size_t i : {1, 2}) {
    ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, i));
    tally::ValueId id = x.id;
    if (is_float) {
      ASSIGN_OR_RETURN(id, lowering.OnGrid(x, to));
    }
    operands.push_back(id);
  }
  return lowering.builder().Op(Opcode::kSelect, std::move(operands));
}

// Exact where all values are multiples of one number, such as 0 and -10000; else of 16 bits.
QuantizedType Lookup::OwnGrid(const OperandTypes&) const {
  const auto* floats = std::get_if<FloatTensor>(&values);
  if (floats == nullptr) return {};
  double step = 0, min = 0, max = 0;
  for (const float v : floats->data) {
    if (v != 0) step = step == 0 ? std::abs(v) : std::min<double>(step, std::abs(v));
    min = std::min<double>(min, v);
    max = std::max<double>(max, v);
  }
  if (step == 0) step = 1;
  const auto is_multiple = [&](float v) { return std::fmod(v, step) == 0 && std::abs(v) <= 0x1p14 * step; };
  if (!std::ranges::all_of(floats->data, is_multiple)) return ChooseAffine(min, max, kWideBits);
  return {step, 0, {std::llround(min / step), std::llround(max / step)}};
}

LoweredResult Lookup::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  std::vector<int64_t> entries;
  if (const auto* integers = std::get_if<Int64Tensor>(&values)) {
    entries = integers->data;
  } else {
    for (const float v : std::get<FloatTensor>(values).data) entries.push_back(to.Quantize(v));
  }
  ASSIGN_OR_RETURN(const tally::ValueId table, lowering.VectorConstant(entries));
  return lowering.builder().Op(Opcode::kTable, {x.id, table}, TableAttrs{.offset = 0});
}

// The code of hidden elements is kDepth below the least that any element of x can have, calibrated or not: x
// was clamped to its own interval when it was rounded. So whatever the row holds, the softmax's table of
// exponentials has 0 at that distance.
QuantizedType Masked::GridFrom(std::span<const QuantizedType> operands) const {
  constexpr double kMost = 0x1p30;
  QuantizedType type = operands[0];
  type.interval.lo -= static_cast<int64_t>(std::min(std::ceil(kDepth / type.scale), kMost));
  return type;
}

LoweredResult Masked::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered hide, lowering.Operand(node, 1));
  const int64_t lowest[] = {to.interval.lo};
  ASSIGN_OR_RETURN(const tally::ValueId hidden, lowering.IntegerConstant({}, lowest));
  return lowering.builder().Op(Opcode::kSelect, {hide.id, hidden, x.id});
}

}  // namespace tally::quant
