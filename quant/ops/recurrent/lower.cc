#include <algorithm>
#include <optional>

#include "base/status_macros.h"
#include "quant/lower/twin.h"
#include "quant/ops/recurrent/lower_layer.h"

namespace tally::quant {
namespace {

using recurrent::Addends;
using recurrent::AddOptional;
using recurrent::BitsOf;
using recurrent::BoundedStateGrid;
using recurrent::CellGrid;
using recurrent::GateStep;
using recurrent::kBits;
using recurrent::Layer;
using recurrent::LowerLayer;
using recurrent::RealOf;
using recurrent::StateGrid;
using recurrent::Table;

// Where the results of an instruction are.
tally::ValueId Offset(SequenceResult result) { return static_cast<tally::ValueId>(result); }

template <typename Op>
std::optional<tally::ValueId> Twin(Lowering& lowering, const Node& node, const Op& op) {
  return FirstResultOfTwin(
      lowering, node, op, [](Op& of) -> SequenceResult& { return of.sequences.result; },
      [&](const Node& other) {  // a calibration that was edited may say otherwise of each
        const auto one = lowering.SeenBy(node), another = lowering.SeenBy(other);
        return one.ok() && another.ok() && one->inner == another->inner;
      });
}

}  // namespace

// Without a bound, it is what calibration saw of all states.
QuantizedType Rnn::OwnGrid(const SeenRanges& seen) const {
  if (state != Activation::kRelu) return BoundedStateGrid(seen, 4);
  double bound = std::max(-seen.inner.low, seen.inner.high);
  for (size_t i = 4; i < seen.operands.size(); ++i) {
    bound = std::max({bound, -seen.operands[i].low, seen.operands[i].high});
  }
  return StateGrid(bound);
}

LoweredResult Rnn::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  if (const auto twin = Twin(lowering, node, *this)) return *twin + Offset(sequences.result);
  const int bits = BitsOf(to);
  const RecipeScale step = state == Activation::kRelu ? RecipeScale{1, bits} : GateStep(state);
  ASSIGN_OR_RETURN(Layer layer, LowerLayer(lowering, node, {RealOf(step)}, to.scale));
  ASSIGN_OR_RETURN(const tally::ValueId f, Table(lowering, state, step, bits, kState - 1));
  layer.operands.push_back(f);
  RnnAttrs attrs;
  RETURN_IF_ERROR(AddOptional(lowering, node, sequences, 4, {to}, layer, attrs));
  return lowering.builder().Op(Opcode::kRnn, layer.operands, attrs) + Offset(sequences.result);
}

QuantizedType Gru::OwnGrid(const SeenRanges& seen) const { return BoundedStateGrid(seen, InitialState()); }

LoweredResult Gru::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  if (const auto twin = Twin(lowering, node, *this)) return *twin + Offset(sequences.result);
  const RecipeScale gate = GateStep(gates), fresh = GateStep(state);
  const Addends bias_r = {reset_after ? &lowering.WeightOperand(node, 4) : nullptr, 2, 1, 1};
  // C12: r, of 15 bits, multiplies what is after it before the one rounding.
  ASSIGN_OR_RETURN(Layer layer,
                   LowerLayer(lowering, node, {RealOf(gate), RealOf(gate), RealOf(fresh)}, to.scale,
                              reset_after ? &bias_r : nullptr, reset_after ? kBits : 0));
  ASSIGN_OR_RETURN(const tally::ValueId f, Table(lowering, gates, gate, kBits, kState));
  ASSIGN_OR_RETURN(const tally::ValueId g, Table(lowering, state, fresh, BitsOf(to), kState - 1));
  layer.operands.insert(layer.operands.end(), {f, g});
  GruAttrs attrs;
  RETURN_IF_ERROR(AddOptional(lowering, node, sequences, InitialState(), {to}, layer, attrs));
  attrs.reset_after = reset_after;
  if (reset_after) layer.operands.push_back(*layer.addends);
  return lowering.builder().Op(Opcode::kGru, layer.operands, attrs) + Offset(sequences.result);
}

QuantizedType Lstm::OwnGrid(const SeenRanges& seen) const {
  return sequences.result == SequenceResult::kFinalCell ? CellGrid(seen, InitialState() + 1)
                                                        : BoundedStateGrid(seen, InitialState());
}

LoweredResult Lstm::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  if (const auto twin = Twin(lowering, node, *this)) return *twin + Offset(sequences.result);
  ASSIGN_OR_RETURN(const SeenRanges seen, lowering.SeenBy(node));
  const QuantizedType states = BoundedStateGrid(seen, InitialState());
  const QuantizedType cells = CellGrid(seen, InitialState() + 1);
  const RecipeScale gate = GateStep(gates), fresh = GateStep(input);
  const double gate_step = RealOf(gate);
  const Addends peepholes = {peephole ? &lowering.WeightOperand(node, 4) : nullptr, 0, cells.scale, kState};
  ASSIGN_OR_RETURN(Layer layer, LowerLayer(lowering, node, {gate_step, gate_step, gate_step, RealOf(fresh)},
                                           states.scale, peephole ? &peepholes : nullptr));
  const int cell_bits = BitsOf(cells);
  ASSIGN_OR_RETURN(const tally::ValueId f, Table(lowering, gates, gate, kBits, kState));
  ASSIGN_OR_RETURN(const tally::ValueId g, Table(lowering, input, fresh, kBits, kState));
  ASSIGN_OR_RETURN(const tally::ValueId a, Table(lowering, output, {1, cell_bits}, kBits, kState - 1));
  layer.operands.insert(layer.operands.end(), {f, g, a});
  LstmAttrs attrs;
  RETURN_IF_ERROR(AddOptional(lowering, node, sequences, InitialState(), {states, cells}, layer, attrs));
  attrs.peephole = peephole;
  attrs.cell_bits = cell_bits;
  attrs.output_shift = 2 * kBits - BitsOf(states);  // for a product of two numbers of 15 bits
  if (peephole) layer.operands.push_back(*layer.addends);
  return lowering.builder().Op(Opcode::kLstm, layer.operands, attrs) + Offset(sequences.result);
}

}  // namespace tally::quant
