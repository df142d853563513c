// Recurrent layers: x [T, I], one sequence; weights of one direction after those of the other.
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/compositions/recurrent_cells.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/codes.h"
#include "frontends/ncnn/operators.h"

namespace tally::ncnn {
namespace {

// Floats, or codes whose scales come later.
absl::StatusOr<Weights> ReadWeights(NcnnLayer& layer, const quant::Shape& shape) {
  RETURN_IF_ERROR(quant::CheckShape(shape));
  return layer.weights().Tagged(quant::NumElements(shape));
}

// Weights [D, rows, ..], where `has_scales` by the next weights of the file, one for each row: a step
// computes with what the codes stand for, and its input is not rounded to 8 bits.
absl::StatusOr<quant::FloatTensor> AsFloats(NcnnLayer& layer, const quant::Shape& shape, Weights weights,
                                            bool has_scales) {
  if (!has_scales) {
    if (!weights.codes.empty()) return Malformed("its weights are codes without scales");
    return quant::FloatTensor{shape, std::move(weights.floats)};
  }
  ASSIGN_OR_RETURN(const Operand rows,
                   ScaledWeight(layer, weights, {shape[0] * shape[1], shape[2]}, 1, shape[0] * shape[1]));
  return quant::FloatTensor{shape, std::get<quant::FloatTensor>(*rows.constant).data};
}

// ncnn's gates in the graph's order: of an LSTM i, f, o, g as i, o, f, c; of a GRU r, u, n as z, r, n.
std::vector<int64_t> GateOrder(Cell cell) {
  switch (cell) {
    case Cell::kRnn: return {0};
    case Cell::kGru: return {1, 0, 2};
    case Cell::kLstm: break;
  }
  return {0, 2, 1, 3};
}

absl::Status FinishRecurrent(NcnnLayer& layer, Cell cell) {
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const int64_t outputs, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const int64_t count, layer.Int(1, 0));
  ASSIGN_OR_RETURN(const int64_t direction, layer.Int(2, 0));
  ASSIGN_OR_RETURN(const bool has_scales, layer.Flag(8, false));
  int64_t units = outputs;  // an LSTM may project others to the outputs
  if (cell == Cell::kLstm) {
    ASSIGN_OR_RETURN(units, layer.Int(3, outputs));
  }
  const int64_t gates = GatesOf(cell), directions = direction == 2 ? 2 : 1;
  if (BlobRank(x) != 2)
    return MakeError(label::model_shape, "its input does not have 2 axes, steps and features");
  const int64_t steps = x.shape()[1], inputs = x.shape()[2];
  if (direction < 0 || direction > 2 || units < 1 || outputs < 1 ||
      count != directions * gates * units * inputs) {
    return MakeError(label::model_malformed,
                     absl::StrCat(count, " weights are not those of ", units, " units, ", inputs,
                                  " inputs and ", directions, " directions"));
  }
  RecurrentLayer recurrent = {.cell = cell};
  const quant::Shape of_w = {directions, gates * units, inputs}, of_r = {directions, gates * units, outputs};
  ASSIGN_OR_RETURN(Weights w_read, ReadWeights(layer, of_w));
  const int64_t rows = cell == Cell::kGru ? 4 : gates;
  const quant::Shape of_bias = {directions, rows * units};
  ASSIGN_OR_RETURN(Weights bias_read, ReadWeights(layer, of_bias));
  ASSIGN_OR_RETURN(Weights r_read, ReadWeights(layer, of_r));
  CellRules rules;
  if (units != outputs) {
    const quant::Shape shape = {directions, outputs, units};
    ASSIGN_OR_RETURN(Weights read, ReadWeights(layer, shape));
    ASSIGN_OR_RETURN(quant::FloatTensor projection, AsFloats(layer, shape, std::move(read), false));
    ASSIGN_OR_RETURN(rules.projection, layer.NewConstant(std::move(projection), "projection"));
  }
  ASSIGN_OR_RETURN(const quant::FloatTensor w, AsFloats(layer, of_w, std::move(w_read), has_scales));
  ASSIGN_OR_RETURN(const quant::FloatTensor r, AsFloats(layer, of_r, std::move(r_read), has_scales));
  ASSIGN_OR_RETURN(const quant::FloatTensor bias, AsFloats(layer, of_bias, std::move(bias_read), false));
  ASSIGN_OR_RETURN(recurrent.w, layer.NewConstant(WithGatesInOrder(w, GateOrder(cell)), "w"));
  ASSIGN_OR_RETURN(recurrent.r, layer.NewConstant(WithGatesInOrder(r, GateOrder(cell)), "r"));
  SetBias(recurrent, bias, GateOrder(cell));
  recurrent.reset_after = cell == Cell::kGru;
  recurrent.sequences.direction = direction == 0   ? Direction::kForward
                                  : direction == 1 ? Direction::kReverse
                                                   : Direction::kBidirectional;
  using quant::Activation;
  recurrent.activations =
      cell == Cell::kRnn ? std::vector<Activation>{Activation::kTanh}
      : cell == Cell::kGru
          ? std::vector<Activation>{Activation::kSigmoid, Activation::kTanh}
          : std::vector<Activation>{Activation::kSigmoid, Activation::kTanh, Activation::kTanh};
  ASSIGN_OR_RETURN(recurrent.x, layer.Emit(quant::Reshape{{steps, 1, inputs}}, {x}, "steps"));
  const quant::Shape state = {directions, 1, outputs};
  if (layer.num_inputs() > 1) {
    ASSIGN_OR_RETURN(const Operand h, layer.Input(1));
    ASSIGN_OR_RETURN(recurrent.initial_state, layer.Emit(quant::Reshape{state}, {h}, "state"));
  }
  if (layer.num_inputs() > 2) {
    ASSIGN_OR_RETURN(const Operand c, layer.Input(2));
    ASSIGN_OR_RETURN(recurrent.initial_cell, layer.Emit(quant::Reshape{{directions, 1, units}}, {c}, "cell"));
  }
  std::vector<Operand> operands;
  std::vector<Walk> walks;
  if (rules.projection.has_value()) {
    for (int64_t d = 0; d < directions; ++d) {
      auto& functions = rules.functions.emplace_back();
      for (const Activation activation : recurrent.activations) functions.push_back(FunctionOf(activation));
    }
    ASSIGN_OR_RETURN(walks, StepByStep(layer, recurrent, rules));
  } else {
    ASSIGN_OR_RETURN(operands, RecurrentOperands(layer, recurrent));
  }
  constexpr quant::SequenceResult kResults[] = {
      quant::SequenceResult::kStates, quant::SequenceResult::kFinalState, quant::SequenceResult::kFinalCell};
  for (size_t i = 0; i < layer.num_outputs() && i < 3; ++i) {
    if (!layer.IsRead(i)) continue;
    ASSIGN_OR_RETURN(const Operand y, walks.empty() ? RecurrentResult(layer, recurrent, operands, kResults[i])
                                                    : WalkResult(layer, recurrent, walks, kResults[i]));
    const quant::Shape blob = i == 0   ? quant::Shape{steps, directions * outputs}
                              : i == 1 ? quant::Shape{directions, outputs}
                                       : quant::Shape{directions, units};
    RETURN_IF_ERROR(layer.FinishOutputAs(i, AsBlob(layer, y, blob, "result")));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ImportRNN(NcnnLayer& layer) { return FinishRecurrent(layer, Cell::kRnn); }
absl::Status ImportGRU(NcnnLayer& layer) { return FinishRecurrent(layer, Cell::kGru); }
absl::Status ImportLSTM(NcnnLayer& layer) { return FinishRecurrent(layer, Cell::kLstm); }

}  // namespace tally::ncnn
