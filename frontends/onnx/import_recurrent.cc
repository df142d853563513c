// LSTM, GRU and RNN. Their gates come in ONNX's order, iofc and zrh, which is that of the graph.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/recurrent.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {
namespace {

using quant::Activation;
using quant::FloatTensor;
using quant::SequenceResult;
using quant::Shape;

// Inputs that all three have at the same place; an LSTM has two more.
enum RecurrentInput { kX, kW, kR, kB, kLengths, kInitialH, kInitialC, kPeephole };

absl::StatusOr<Direction> ReadDirection(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::string text, node.attributes().String("direction", "forward"));
  const auto found = std::ranges::find(kDirectionNames, text);
  if (found == kDirectionNames.end()) {
    return MakeError(label::model_malformed, "attribute direction is " + PrintableStart(text));
  }
  return static_cast<Direction>(found - kDirectionNames.begin());
}

absl::StatusOr<Activation> ActivationCalled(const std::string& name) {
  if (name == "Sigmoid") return Activation::kSigmoid;
  if (name == "Tanh") return Activation::kTanh;
  if (name == "HardSigmoid") return Activation::kHardSigmoid;
  if (name == "Relu") return Activation::kRelu;
  return UnsupportedAttribute("activation " + PrintableStart(name) +
                              " is not imported; Sigmoid, Tanh, HardSigmoid and, of an RNN, Relu are");
}

// The functions of one direction, those of both where there are two. Gates between 0 and 1, and no state
// without a bound.
absl::StatusOr<std::vector<Activation>> ReadActivations(NodeContext& node, const RecurrentLayer& layer) {
  ASSIGN_OR_RETURN(const auto names, node.attributes().Strings("activations"));
  const bool has_gates = layer.cell != Cell::kRnn;
  const size_t count = layer.cell == Cell::kLstm ? 3 : has_gates ? 2 : 1;
  std::vector<Activation> activations(count, Activation::kTanh);
  if (has_gates) activations[0] = Activation::kSigmoid;
  if (!names.has_value()) return activations;
  if (names->size() != count * static_cast<size_t>(layer.directions())) {
    return MakeError(label::model_malformed, "there are " + std::to_string(names->size()) + " activations");
  }
  for (size_t i = 0; i < names->size(); ++i) {
    ASSIGN_OR_RETURN(const Activation activation, ActivationCalled((*names)[i]));
    if (i >= count && activation != activations[i - count]) {
      return UnsupportedAttribute("the activations of the two directions differ");
    }
    const bool is_gate = has_gates && i % count == 0;
    const bool fits = is_gate ? activation == Activation::kSigmoid || activation == Activation::kHardSigmoid
                              : !has_gates || activation != Activation::kRelu;
    if (!fits) {
      return UnsupportedAttribute("activation " + (*names)[i] + " is not imported " +
                                  (is_gate ? "for gates: it leaves [0, 1]" : "here: it has no bound"));
    }
    if (i < count) activations[i] = activation;
  }
  return activations;
}

absl::Status RefuseWhatChangesResults(NodeContext& node) {
  for (const char* name : {"clip", "activation_alpha", "activation_beta"}) {
    if (node.attributes().Find(name) != nullptr) {
      return UnsupportedAttribute("attribute " + std::string(name) + " is not imported");
    }
  }
  return absl::OkStatus();
}

// None where every sequence has all T steps.
absl::StatusOr<std::vector<int64_t>> ReadLengths(NodeContext& node, int64_t steps, int64_t batch) {
  if (!node.HasInput(kLengths)) return std::vector<int64_t>();
  ASSIGN_OR_RETURN(const quant::Int64Tensor* lengths, node.IntConstant(kLengths));
  if (lengths->shape != Shape{batch}) {
    return MakeError(label::model_shape, "sequence_lens is " + quant::ToString(lengths->shape));
  }
  const bool all = std::ranges::all_of(lengths->data, [&](int64_t length) { return length == steps; });
  return all ? std::vector<int64_t>() : lengths->data;
}

// ONNX's two biases of each row, [D, 2 G H].
absl::Status ReadBias(NodeContext& node, RecurrentLayer& layer) {
  if (!node.HasInput(kB)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const FloatTensor* both, node.FloatConstant(kB));
  const int64_t rows = GatesOf(layer.cell) * layer.units();
  const Shape shape = {layer.directions(), 2 * rows};
  if (both->shape != shape) {
    return MakeError(label::model_shape,
                     "B is " + quant::ToString(both->shape) + ", not " + quant::ToString(shape));
  }
  layer.x_bias = layer.h_bias = FloatTensor{{shape[0], rows}, {}};
  for (size_t i = 0; i < both->data.size(); ++i) {
    const bool is_of_x = static_cast<int64_t>(i) % (2 * rows) < rows;
    (is_of_x ? layer.x_bias : layer.h_bias)->data.push_back(both->data[i]);
  }
  return absl::OkStatus();
}

absl::Status ReadStates(NodeContext& node, RecurrentLayer& layer) {
  if (node.HasInput(kInitialH)) {
    ASSIGN_OR_RETURN(layer.initial_state, node.Input(kInitialH));
  }
  if (layer.cell == Cell::kLstm && node.HasInput(kInitialC)) {
    ASSIGN_OR_RETURN(layer.initial_cell, node.Input(kInitialC));
  }
  return absl::OkStatus();
}

// What the three have in common.
absl::StatusOr<RecurrentLayer> ReadLayer(NodeContext& node, Cell cell) {
  RETURN_IF_ERROR(node.CheckInputCount(3, cell == Cell::kLstm ? kPeephole + 1 : kInitialH + 1));
  RETURN_IF_ERROR(RefuseWhatChangesResults(node));
  RecurrentLayer layer = {.cell = cell};
  for (const auto& [input, operand] :
       {std::pair(kX, &layer.x), std::pair(kW, &layer.w), std::pair(kR, &layer.r)}) {
    ASSIGN_OR_RETURN(*operand, node.Input(input));
    if (operand->shape().size() != 3) {
      return MakeError(label::model_shape, "X, W or R is " + quant::ToString(operand->shape()));
    }
    if (input != kX) RETURN_IF_ERROR(node.FloatConstant(input).status());
  }
  ASSIGN_OR_RETURN(layer.sequences.direction, ReadDirection(node));
  ASSIGN_OR_RETURN(layer.activations, ReadActivations(node, layer));
  ASSIGN_OR_RETURN(const int64_t units, node.attributes().Int("hidden_size", layer.units()));
  if (units != layer.units()) {
    return MakeError(label::model_shape, "hidden_size is " + std::to_string(units) + " and R is " +
                                             quant::ToString(layer.r.shape()));
  }
  if (node.opset() >= 14) {
    ASSIGN_OR_RETURN(layer.by_batch, node.attributes().Bool("layout", false));
  }
  const Shape& x = layer.x.shape();
  ASSIGN_OR_RETURN(layer.sequences.lengths,
                   ReadLengths(node, x[layer.by_batch ? 1 : 0], x[layer.by_batch ? 0 : 1]));
  RETURN_IF_ERROR(ReadBias(node, layer));
  RETURN_IF_ERROR(ReadStates(node, layer));
  return layer;
}

// A node for each output that something reads.
absl::Status FinishLayer(NodeContext& node, const RecurrentLayer& layer) {
  constexpr std::array kResults = {SequenceResult::kStates, SequenceResult::kFinalState,
                                   SequenceResult::kFinalCell};
  ASSIGN_OR_RETURN(const std::vector<Operand> operands, RecurrentOperands(node, layer));
  for (size_t i = 0; i < std::min(node.num_outputs(), kResults.size()); ++i) {
    if (!node.IsRead(i)) continue;
    RETURN_IF_ERROR(node.FinishOutputAs(i, RecurrentResult(node, layer, operands, kResults[i])));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ImportRnn(NodeContext& node) {
  ASSIGN_OR_RETURN(const RecurrentLayer layer, ReadLayer(node, Cell::kRnn));
  return FinishLayer(node, layer);
}

absl::Status ImportGru(NodeContext& node) {
  ASSIGN_OR_RETURN(RecurrentLayer layer, ReadLayer(node, Cell::kGru));
  ASSIGN_OR_RETURN(layer.reset_after, node.attributes().Bool("linear_before_reset", false));
  return FinishLayer(node, layer);
}

absl::Status ImportLstm(NodeContext& node) {
  ASSIGN_OR_RETURN(RecurrentLayer layer, ReadLayer(node, Cell::kLstm));
  ASSIGN_OR_RETURN(const bool coupled, node.attributes().Bool("input_forget", false));
  if (coupled) return UnsupportedAttribute("input_forget = 1 is not imported");
  if (node.HasInput(kPeephole)) {
    ASSIGN_OR_RETURN(layer.peephole, node.Input(kPeephole));
  }
  return FinishLayer(node, layer);
}

}  // namespace tally::onnx
