#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/status_macros.h"
#include "ops/composition.h"
#include "ops/gather/lowering/attrs.h"
#include "ops/lowerings.h"
#include "quant/lower/lowering.h"
#include "quant/lower/twin.h"
#include "quant/ops/gather/scatter_ops.h"

namespace tally::quant {
namespace {

tally::ValueId Instruction(Lowering& lowering, const Scatter& op, std::vector<tally::ValueId> operands) {
  const ScatterAttrs along = {.axis = op.axis, .kind = op.kind};
  switch (op.form) {
    case Scatter::Form::kSlices: return lowering.builder().Op(Opcode::kScatter, std::move(operands), along);
    case Scatter::Form::kElements:
      return lowering.builder().Op(Opcode::kScatterElements, std::move(operands), along);
    case Scatter::Form::kTuples: break;
  }
  return lowering.builder().Op(Opcode::kScatterNd, std::move(operands), ScatterNdAttrs{.kind = op.kind});
}

}  // namespace

// Elements that replace others, or are compared with them, are on the result's grid; sums are exact on a
// finer one, and rounded once.
LoweredResult Scatter::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered indices, lowering.Operand(node, 1));
  ASSIGN_OR_RETURN(const Lowered updates, lowering.Operand(node, 2));
  if (lowering.graph().values[node.result].type.element == ElementType::kInt64) {
    return Instruction(lowering, *this, {x.id, indices.id, updates.id});
  }
  const bool sums = kind == ScatterKind::kAdd || kind == ScatterKind::kSub;
  constexpr int kGuardBits = 8;
  constexpr Interval kRoom = {-(int64_t{1} << 40), int64_t{1} << 40};
  const double fine = std::ldexp(std::min(x.type.scale, updates.type.scale), -kGuardBits);
  const QuantizedType grid = sums ? QuantizedType{fine, 0, kRoom} : to;
  ASSIGN_OR_RETURN(const tally::ValueId base, lowering.OnGrid(x, grid));
  ASSIGN_OR_RETURN(const tally::ValueId added, lowering.OnGrid(updates, grid));
  const tally::ValueId y = Instruction(lowering, *this, {base, indices.id, added});
  if (!sums) return y;
  const auto reach = [&](const Lowered& v) {
    const double most = static_cast<double>(Minus(v.type.interval, v.type.zero_point).Magnitude());
    return static_cast<uint64_t>(most * v.type.scale / fine) + 1;
  };
  const auto count = static_cast<uint64_t>(NumElements(lowering.graph().values[node.operands[1]].type.shape));
  const uint64_t magnitude = reach(x) + count * reach(updates);
  ASSIGN_OR_RETURN(const FixedMultiplier gain, ToFixedMultiplier(fine / to.scale, magnitude));
  return lowering.Rescale(y, {.gains = {gain}, .has_ties = CanTie(gain, magnitude)}, to);
}

LoweredResult GatherTree::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  std::vector<tally::ValueId> operands;
  for (size_t i = 0; i < node.operands.size(); ++i) {
    ASSIGN_OR_RETURN(const Lowered operand, lowering.Operand(node, i));
    operands.push_back(operand.id);
  }
  return lowering.builder().Op(Opcode::kGatherTree, std::move(operands));
}

LoweredResult NonZero::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  const auto offset = static_cast<tally::ValueId>(result);
  const auto twin = FirstResultOfTwin(
      lowering, node, *this, [](NonZero& of) -> NonZeroResult& { return of.result; },
      [](const Node&) { return true; });
  if (twin.has_value()) return *twin + offset;
  ASSIGN_OR_RETURN(const Lowered operand, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered x, lowering.Centered(operand));
  const auto shape = tally::Shape::Create(lowering.ShapeOfOperand(node, 0));
  if (!shape.ok()) return MakeError(label::lower_shape, std::string(shape.status().message()));
  Composition c(Profile::kCore);
  const tally::Value input = c.Input({*shape, x.type.interval});
  ASSIGN_OR_RETURN(const std::vector<tally::Value> results,
                   tally::Lower(c, "nonzero", {{input}}, Pack(NonzeroAttrs{.bound = bound, .value = -1})));
  return lowering.builder().Append(c, {{x.id}}, results)[0] + offset;
}

}  // namespace tally::quant
