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

struct Layer {
  int64_t gates;
  size_t num_activations;
  bool by_batch = false;  // x [B, T, I], y [B, T, D, H] and states [B, D, H]
  quant::Sequences sequences = {};
  std::vector<Activation> activations = {};
  std::vector<Operand> operands = {};  // x, W, R, bias, and what follows
  int64_t directions() const { return sequences.direction == Direction::kBidirectional ? 2 : 1; }
  int64_t units() const { return operands[kR].shape()[2]; }
};

absl::StatusOr<Direction> ReadDirection(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::string text, node.attributes().String("direction", "forward"));
  const auto found = std::ranges::find(kDirectionNames, text);
  if (found == kDirectionNames.end()) {
    return MakeError(label::onnx_malformed, "attribute direction is " + PrintableStart(text));
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
absl::StatusOr<std::vector<Activation>> ReadActivations(NodeContext& node, const Layer& layer) {
  ASSIGN_OR_RETURN(const auto names, node.attributes().Strings("activations"));
  std::vector<Activation> activations(layer.num_activations, Activation::kTanh);
  if (layer.gates > 1) activations[0] = Activation::kSigmoid;
  if (!names.has_value()) return activations;
  const size_t count = layer.num_activations;
  if (names->size() != count * static_cast<size_t>(layer.directions())) {
    return MakeError(label::onnx_malformed, "there are " + std::to_string(names->size()) + " activations");
  }
  for (size_t i = 0; i < names->size(); ++i) {
    ASSIGN_OR_RETURN(const Activation activation, ActivationCalled((*names)[i]));
    if (i >= count && activation != activations[i - count]) {
      return UnsupportedAttribute("the activations of the two directions differ");
    }
    const bool is_gate = layer.gates > 1 && i % count == 0;
    const bool fits = is_gate ? activation == Activation::kSigmoid || activation == Activation::kHardSigmoid
                              : layer.gates == 1 || activation != Activation::kRelu;
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
    return MakeError(label::onnx_shape, "sequence_lens is " + quant::ToString(lengths->shape));
  }
  const bool all = std::ranges::all_of(lengths->data, [&](int64_t length) { return length == steps; });
  return all ? std::vector<int64_t>() : lengths->data;
}

// The sum of ONNX's two biases of each row, [D, G H] of [D, 2 G H]. Where a reset gate multiplies R h with
// its bias, that of the last gate stays apart, as bias_r [D, H].
absl::Status AddBias(NodeContext& node, Layer& layer, bool has_reset_bias) {
  const int64_t directions = layer.directions(), units = layer.units();
  const size_t rows = static_cast<size_t>(layer.gates * units);
  const Shape shape = {directions, 2 * layer.gates * units};
  const std::vector<float> zeros(static_cast<size_t>(quant::NumElements(shape)));
  const std::vector<float>* given = &zeros;
  if (node.HasInput(kB)) {
    ASSIGN_OR_RETURN(const FloatTensor* tensor, node.FloatConstant(kB));
    if (tensor->shape != shape) {
      return MakeError(label::onnx_shape,
                       "B is " + quant::ToString(tensor->shape) + ", not " + quant::ToString(shape));
    }
    given = &tensor->data;
  }
  FloatTensor bias{{directions, layer.gates * units}, {}}, reset{{directions, units}, {}};
  const size_t first_apart = has_reset_bias ? rows - static_cast<size_t>(units) : rows;
  for (size_t d = 0; d < static_cast<size_t>(directions); ++d) {
    const float* of_x = given->data() + d * 2 * rows;
    const float* of_h = of_x + rows;
    for (size_t row = 0; row < rows; ++row) {
      bias.data.push_back(row < first_apart ? of_x[row] + of_h[row] : of_x[row]);
      if (row >= first_apart) reset.data.push_back(of_h[row]);
    }
  }
  ASSIGN_OR_RETURN(Operand sum, node.NewConstant(std::move(bias), "bias"));
  layer.operands.push_back(std::move(sum));
  if (!has_reset_bias) return absl::OkStatus();
  ASSIGN_OR_RETURN(Operand apart, node.NewConstant(std::move(reset), "reset_bias"));
  layer.operands.push_back(std::move(apart));
  return absl::OkStatus();
}

bool IsZeros(const Operand& operand) {
  const auto* floats = operand.is_constant() ? std::get_if<FloatTensor>(operand.constant.get()) : nullptr;
  return floats != nullptr && std::ranges::all_of(floats->data, [](float v) { return v == 0; });
}

// The initial states, all of them unless all are the zeros that the graph begins with anyway.
absl::Status AddInitialStates(NodeContext& node, Layer& layer, size_t count) {
  if (!node.HasInput(kInitialH) && (count == 1 || !node.HasInput(kInitialC))) return absl::OkStatus();
  const Shape shape = {layer.directions(), layer.operands[kX].shape()[1], layer.units()};
  std::vector<Operand> states;
  bool all_zero = true;
  for (size_t i = kInitialH; i < kInitialH + count; ++i) {
    if (!node.HasInput(i)) {
      ASSIGN_OR_RETURN(const Operand zero, node.NewConstant(FloatTensor{{}, {0}}, "zero"));
      ASSIGN_OR_RETURN(Operand zeros, node.Emit(quant::Expand{shape}, {zero}, "zeros"));
      states.push_back(std::move(zeros));
      continue;
    }
    ASSIGN_OR_RETURN(Operand state, node.Input(i));
    all_zero = all_zero && IsZeros(state);
    if (layer.by_batch && state.shape().size() == 3) {
      ASSIGN_OR_RETURN(state, node.Emit(quant::Transpose{{1, 0, 2}}, {state}, "initial_by_direction"));
    }
    if (state.shape() != shape) {
      return MakeError(label::onnx_shape, "an initial state is " + quant::ToString(state.shape()) + ", not " +
                                              quant::ToString(shape));
    }
    states.push_back(std::move(state));
  }
  if (!all_zero) layer.operands.insert(layer.operands.end(), states.begin(), states.end());
  return absl::OkStatus();
}

// What the three have in common, up to R.
absl::Status ReadLayer(NodeContext& node, Layer& layer) {
  RETURN_IF_ERROR(node.CheckInputCount(3, layer.gates == 4 ? kPeephole + 1 : kInitialH + 1));
  RETURN_IF_ERROR(RefuseWhatChangesResults(node));
  for (const size_t i : {kX, kW, kR}) {
    ASSIGN_OR_RETURN(Operand operand, node.Input(i));
    if (operand.shape().size() != 3) {
      return MakeError(label::onnx_shape, "X, W or R is " + quant::ToString(operand.shape()));
    }
    layer.operands.push_back(std::move(operand));
    if (i != kX) RETURN_IF_ERROR(node.FloatConstant(i).status());
  }
  ASSIGN_OR_RETURN(layer.sequences.direction, ReadDirection(node));
  ASSIGN_OR_RETURN(layer.activations, ReadActivations(node, layer));
  ASSIGN_OR_RETURN(const int64_t units, node.attributes().Int("hidden_size", layer.units()));
  if (units != layer.units()) {
    return MakeError(label::onnx_shape, "hidden_size is " + std::to_string(units) + " and R is " +
                                            quant::ToString(layer.operands[kR].shape()));
  }
  if (node.opset() >= 14) {
    ASSIGN_OR_RETURN(layer.by_batch, node.attributes().Bool("layout", false));
  }
  if (layer.by_batch) {
    ASSIGN_OR_RETURN(layer.operands[kX],
                     node.Emit(quant::Transpose{{1, 0, 2}}, {layer.operands[kX]}, "x_by_step"));
  }
  ASSIGN_OR_RETURN(layer.sequences.lengths,
                   ReadLengths(node, layer.operands[kX].shape()[0], layer.operands[kX].shape()[1]));
  return absl::OkStatus();
}

// A node for each output that something reads.
template <typename Op>
absl::Status FinishLayer(NodeContext& node, const Layer& layer, Op op) {
  constexpr std::array kResults = {SequenceResult::kStates, SequenceResult::kFinalState,
                                   SequenceResult::kFinalCell};
  for (size_t i = 0; i < std::min(node.num_outputs(), kResults.size()); ++i) {
    if (!node.IsRead(i)) continue;
    op.sequences = layer.sequences;
    op.sequences.result = kResults[i];
    if (!layer.by_batch) {
      RETURN_IF_ERROR(node.FinishOutput(i, op, layer.operands));
      continue;
    }
    ASSIGN_OR_RETURN(const Operand result, node.Emit(op, layer.operands, "by_step"));
    const std::vector<int64_t> permutation =
        i == 0 ? std::vector<int64_t>{2, 0, 1, 3} : std::vector<int64_t>{1, 0, 2};
    RETURN_IF_ERROR(node.FinishOutput(i, quant::Transpose{permutation}, {result}));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ImportRnn(NodeContext& node) {
  Layer layer = {.gates = 1, .num_activations = 1};
  RETURN_IF_ERROR(ReadLayer(node, layer));
  RETURN_IF_ERROR(AddBias(node, layer, /*has_reset_bias=*/false));
  RETURN_IF_ERROR(AddInitialStates(node, layer, 1));
  return FinishLayer(node, layer, quant::Rnn{.state = layer.activations[0]});
}

absl::Status ImportGru(NodeContext& node) {
  Layer layer = {.gates = 3, .num_activations = 2};
  RETURN_IF_ERROR(ReadLayer(node, layer));
  ASSIGN_OR_RETURN(const bool reset_after, node.attributes().Bool("linear_before_reset", false));
  RETURN_IF_ERROR(AddBias(node, layer, reset_after));
  RETURN_IF_ERROR(AddInitialStates(node, layer, 1));
  return FinishLayer(
      node, layer,
      quant::Gru{.gates = layer.activations[0], .state = layer.activations[1], .reset_after = reset_after});
}

absl::Status ImportLstm(NodeContext& node) {
  Layer layer = {.gates = 4, .num_activations = 3};
  RETURN_IF_ERROR(ReadLayer(node, layer));
  ASSIGN_OR_RETURN(const bool coupled, node.attributes().Bool("input_forget", false));
  if (coupled) return UnsupportedAttribute("input_forget = 1 is not imported");
  RETURN_IF_ERROR(AddBias(node, layer, /*has_reset_bias=*/false));
  const bool peephole = node.HasInput(kPeephole);
  if (peephole) {
    ASSIGN_OR_RETURN(Operand weights, node.Input(kPeephole));
    layer.operands.push_back(std::move(weights));
  }
  RETURN_IF_ERROR(AddInitialStates(node, layer, 2));
  return FinishLayer(node, layer,
                     quant::Lstm{.gates = layer.activations[0],
                                 .input = layer.activations[1],
                                 .output = layer.activations[2],
                                 .peephole = peephole});
}

}  // namespace tally::onnx
