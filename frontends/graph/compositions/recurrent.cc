#include "frontends/graph/compositions/recurrent.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

using quant::FloatTensor;
using quant::SequenceResult;
using quant::Shape;

namespace {

// The sum of both biases of each row, [D, G H]. Where a reset gate multiplies R h with its bias, that of the
// last gate stays apart, as bias_r [D, H].
absl::Status AddBias(Emitter& emitter, const RecurrentLayer& layer, std::vector<Operand>& operands) {
  const int64_t directions = layer.directions(), units = layer.units();
  const auto rows = static_cast<size_t>(GatesOf(layer.cell) * units);
  const Shape shape = {directions, static_cast<int64_t>(rows)};
  const FloatTensor zeros{shape, std::vector<float>(static_cast<size_t>(quant::NumElements(shape)))};
  const FloatTensor &of_x = layer.x_bias.has_value() ? *layer.x_bias : zeros,
                    &of_h = layer.h_bias.has_value() ? *layer.h_bias : zeros;
  if (of_x.shape != shape || of_h.shape != shape) {
    return MakeError(label::model_shape, "a bias is " + quant::ToString(of_x.shape) + " or " +
                                             quant::ToString(of_h.shape) + ", not " + quant::ToString(shape));
  }
  const bool has_reset_bias = layer.cell == Cell::kGru && layer.reset_after;
  const size_t first_apart = has_reset_bias ? rows - static_cast<size_t>(units) : rows;
  FloatTensor bias{shape, {}}, reset{{directions, units}, {}};
  for (size_t i = 0; i < of_x.data.size(); ++i) {
    const bool is_apart = i % rows >= first_apart;
    bias.data.push_back(is_apart ? of_x.data[i] : of_x.data[i] + of_h.data[i]);
    if (is_apart) reset.data.push_back(of_h.data[i]);
  }
  ASSIGN_OR_RETURN(Operand sum, emitter.NewConstant(std::move(bias), "bias"));
  operands.push_back(std::move(sum));
  if (!has_reset_bias) return absl::OkStatus();
  ASSIGN_OR_RETURN(Operand apart, emitter.NewConstant(std::move(reset), "reset_bias"));
  operands.push_back(std::move(apart));
  return absl::OkStatus();
}

bool IsZeros(const Operand& operand) {
  const auto* floats = operand.is_constant() ? std::get_if<FloatTensor>(operand.constant.get()) : nullptr;
  return floats != nullptr && std::ranges::all_of(floats->data, [](float v) { return v == 0; });
}

absl::StatusOr<Operand> StateOrZeros(Emitter& emitter, const RecurrentLayer& layer,
                                     const std::optional<Operand>& given, const Shape& shape) {
  if (!given.has_value()) {
    ASSIGN_OR_RETURN(const Operand zero, emitter.NewConstant(0.0f, "zero"));
    return emitter.Emit(quant::Expand{shape}, {zero}, "zeros");
  }
  Operand state = *given;
  if (layer.by_batch && state.shape().size() == 3) {
    ASSIGN_OR_RETURN(state, emitter.Emit(quant::Transpose{{1, 0, 2}}, {state}, "initial_by_direction"));
  }
  if (state.shape() == shape) return state;
  return MakeError(label::model_shape, "an initial state is " + quant::ToString(state.shape()) + ", not " +
                                           quant::ToString(shape));
}

// The initial states, all of them unless all are the zeros that the graph begins with anyway.
absl::Status AddInitialStates(Emitter& emitter, const RecurrentLayer& layer, int64_t batch,
                              std::vector<Operand>& operands) {
  std::vector<const std::optional<Operand>*> given = {&layer.initial_state};
  if (layer.cell == Cell::kLstm) given.push_back(&layer.initial_cell);
  if (std::ranges::none_of(given, [](const auto* state) { return state->has_value(); })) {
    return absl::OkStatus();
  }
  std::vector<Operand> states;
  for (const auto* state : given) {
    const int64_t units = state == &layer.initial_cell ? layer.units() : layer.state_units();
    const Shape shape = {layer.directions(), batch, units};
    ASSIGN_OR_RETURN(Operand checked, StateOrZeros(emitter, layer, *state, shape));
    states.push_back(std::move(checked));
  }
  const bool all_zero =
      std::ranges::all_of(given, [](const auto* s) { return !s->has_value() || IsZeros(**s); });
  if (!all_zero) operands.insert(operands.end(), states.begin(), states.end());
  return absl::OkStatus();
}

quant::Op OpOf(const RecurrentLayer& layer, SequenceResult result) {
  quant::Sequences sequences = layer.sequences;
  sequences.result = result;
  const std::vector<quant::Activation>& f = layer.activations;
  switch (layer.cell) {
    case Cell::kRnn: return quant::Rnn{.sequences = sequences, .state = f[0]};
    case Cell::kGru:
      return quant::Gru{
          .sequences = sequences, .gates = f[0], .state = f[1], .reset_after = layer.reset_after};
    case Cell::kLstm: break;
  }
  return quant::Lstm{.sequences = sequences,
                     .gates = f[0],
                     .input = f[1],
                     .output = f[2],
                     .peephole = layer.peephole.has_value()};
}

}  // namespace

absl::StatusOr<std::vector<Operand>> RecurrentOperands(Emitter& emitter, const RecurrentLayer& layer) {
  std::vector<Operand> operands = {layer.x, layer.w, layer.r};
  if (layer.by_batch) {
    ASSIGN_OR_RETURN(operands[0], emitter.Emit(quant::Transpose{{1, 0, 2}}, {layer.x}, "x_by_step"));
  }
  RETURN_IF_ERROR(AddBias(emitter, layer, operands));
  if (layer.peephole.has_value()) operands.push_back(*layer.peephole);
  RETURN_IF_ERROR(AddInitialStates(emitter, layer, operands[0].shape()[1], operands));
  return operands;
}

absl::StatusOr<Operand> RecurrentResult(Emitter& emitter, const RecurrentLayer& layer,
                                        const std::vector<Operand>& operands, SequenceResult result) {
  ASSIGN_OR_RETURN(const Operand y, emitter.Emit(OpOf(layer, result), operands, "by_step"));
  return InOrderOfLayer(emitter, layer, y, result);
}

absl::StatusOr<Operand> InOrderOfLayer(Emitter& emitter, const RecurrentLayer& layer, const Operand& y,
                                       SequenceResult result) {
  if (!layer.by_batch) return y;
  const std::vector<int64_t> permutation =
      result == SequenceResult::kStates ? std::vector<int64_t>{2, 0, 1, 3} : std::vector<int64_t>{1, 0, 2};
  return emitter.Emit(quant::Transpose{permutation}, {y}, "by_batch");
}

FloatTensor WithGatesInOrder(const FloatTensor& rows, const std::vector<int64_t>& order) {
  const size_t of_direction = rows.data.size() / static_cast<size_t>(rows.shape[0]);
  const size_t of_gate = of_direction / order.size();
  FloatTensor ordered{rows.shape, {}};
  ordered.data.reserve(rows.data.size());
  for (size_t begin = 0; begin < rows.data.size(); begin += of_direction) {
    for (const int64_t gate : order) {
      const auto from = rows.data.begin() + static_cast<int64_t>(begin + static_cast<size_t>(gate) * of_gate);
      ordered.data.insert(ordered.data.end(), from, from + static_cast<int64_t>(of_gate));
    }
  }
  return ordered;
}

void SetBias(RecurrentLayer& layer, const FloatTensor& bias, const std::vector<int64_t>& order) {
  const int64_t directions = bias.shape[0], gates = GatesOf(layer.cell), units = layer.units();
  const int64_t rows = bias.shape[1] / units;
  FloatTensor of_x{{directions, gates * units}, {}}, of_h = of_x;
  for (int64_t d = 0; d < directions; ++d) {
    const auto row = [&](int64_t r) { return bias.data.begin() + (d * rows + r) * units; };
    of_x.data.insert(of_x.data.end(), row(0), row(gates));
    of_h.data.insert(of_h.data.end(), static_cast<size_t>(gates * units), 0.0f);
    if (rows > gates) std::copy(row(gates), row(gates + 1), of_h.data.end() - units);
  }
  layer.x_bias = WithGatesInOrder(of_x, order);
  layer.h_bias = WithGatesInOrder(of_h, order);
}

}  // namespace tally::frontend
