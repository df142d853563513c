// Recurrent cells and sequences: x [B, I] or [B, T, I], states [B, H] or [B, D, H].
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/compositions/recurrent_cells.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

using quant::Activation;
using quant::Shape;

constexpr float kNoClip = 1e30f;  // converters write the largest float

// OpenVINO's gates in the graph's order: of an LSTM f, i, c, o as i, o, f, c.
std::vector<int64_t> GateOrder(Cell cell) {
  if (cell == Cell::kLstm) return {1, 3, 0, 2};
  return cell == Cell::kGru ? std::vector<int64_t>{0, 1, 2} : std::vector<int64_t>{0};
}

// Activations of the layer, if the graph has an operator with them, else rules for its steps.
absl::StatusOr<std::optional<CellRules>> ReadActivations(IrNode& node, RecurrentLayer& layer) {
  const Cell cell = layer.cell;
  const std::string fallback = cell == Cell::kLstm  ? "sigmoid,tanh,tanh"
                               : cell == Cell::kGru ? "sigmoid,tanh"
                                                    : "tanh";
  ASSIGN_OR_RETURN(const std::string names, node.Word("activations", fallback));
  for (const char* name : {"activations_alpha", "activations_beta"}) {
    ASSIGN_OR_RETURN(const std::vector<float> list, node.Floats(name));
    if (!list.empty()) return Unsupported(std::string(name) + " of a recurrent layer");
  }
  ASSIGN_OR_RETURN(const float clip, node.Float("clip", 0));
  std::vector<Activation> activations;
  for (const absl::string_view name : absl::StrSplit(names.empty() ? fallback : names, ',')) {
    if (name == "sigmoid")
      activations.push_back(Activation::kSigmoid);
    else if (name == "tanh")
      activations.push_back(Activation::kTanh);
    else if (name == "relu")
      activations.push_back(Activation::kRelu);
    else
      return Unsupported("the activation " + PrintableStart({name.data(), name.size()}));
  }
  const auto wanted = static_cast<size_t>(cell == Cell::kLstm ? 3 : cell == Cell::kGru ? 2 : 1);
  const auto directions = static_cast<size_t>(layer.directions());
  if (activations.size() != wanted && activations.size() != wanted * directions)
    return Malformed(absl::StrCat("it has ", activations.size(), " activations; ", wanted, " are right"));
  layer.activations.assign(activations.begin(), activations.begin() + static_cast<int64_t>(wanted));
  bool is_of_graph = (clip == 0 || clip >= kNoClip) && HasOperator(cell, layer.activations);
  for (size_t i = 0; i < activations.size(); ++i) is_of_graph &= activations[i] == activations[i % wanted];
  if (is_of_graph) return std::nullopt;
  CellRules rules;
  if (clip > 0 && clip < kNoClip) rules.sum_bound = clip;
  for (size_t i = 0; i < wanted * directions; ++i) {
    if (i % wanted == 0) rules.functions.emplace_back();
    rules.functions.back().push_back(FunctionOf(activations[i % activations.size()]));
  }
  return std::optional(std::move(rules));
}

// A constant list of floats with a direction in front where a cell has none.
absl::StatusOr<quant::FloatTensor> ReadTensor(IrNode& node, size_t index, const Shape& shape) {
  ASSIGN_OR_RETURN(const quant::FloatTensor* tensor, node.FloatConstant(index));
  if (quant::NumElements(tensor->shape) != quant::NumElements(shape) ||
      tensor->shape.back() != shape.back()) {
    return MakeError(label::model_shape, absl::StrCat("input ", index, " is ", quant::ToString(tensor->shape),
                                                      ", not ", quant::ToString(shape)));
  }
  return quant::FloatTensor{shape, tensor->data};
}

// Places of inputs: x, the state, the cell of an LSTM, lengths of a sequence, then W, R and B.
absl::Status FinishRecurrent(IrNode& node, Cell cell, bool is_sequence) {
  const size_t states = cell == Cell::kLstm ? 2 : 1, weights = 1 + states + (is_sequence ? 1 : 0);
  RETURN_IF_ERROR(node.CheckInputCount(weights + 2, weights + 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t units, node.Int("hidden_size"));
  RecurrentLayer layer = {.cell = cell, .by_batch = is_sequence};
  ASSIGN_OR_RETURN(const std::string direction, node.Word("direction", "forward"));
  layer.sequences.direction = direction == "forward"   ? Direction::kForward
                              : direction == "reverse" ? Direction::kReverse
                                                       : Direction::kBidirectional;
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return Malformed("direction is " + PrintableStart(direction));
  const int64_t directions = direction == "bidirectional" ? 2 : 1, gates = GatesOf(cell);
  ASSIGN_OR_RETURN(const std::optional<CellRules> rules, ReadActivations(node, layer));
  if (cell == Cell::kGru) {
    ASSIGN_OR_RETURN(layer.reset_after, node.Flag("linear_before_reset", false));
  }
  const size_t rank = is_sequence ? 3 : 2;
  if (x.shape().size() != rank || units < 1 || units > quant::kMaxAttribute)
    return MakeError(label::model_shape, "x is " + quant::ToString(x.shape()));
  const int64_t batch = x.shape()[0], inputs = x.shape().back();
  ASSIGN_OR_RETURN(const auto w, ReadTensor(node, weights, {directions, gates * units, inputs}));
  ASSIGN_OR_RETURN(const auto r, ReadTensor(node, weights + 1, {directions, gates * units, units}));
  ASSIGN_OR_RETURN(layer.w, node.NewConstant(WithGatesInOrder(w, GateOrder(cell)), "w"));
  ASSIGN_OR_RETURN(layer.r, node.NewConstant(WithGatesInOrder(r, GateOrder(cell)), "r"));
  if (node.HasInput(weights + 2)) {
    const int64_t rows = gates + (layer.reset_after ? 1 : 0);
    ASSIGN_OR_RETURN(const auto bias, ReadTensor(node, weights + 2, {directions, rows * units}));
    SetBias(layer, bias, GateOrder(cell));
  }
  layer.x = x;
  if (is_sequence) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, node.List(1 + states));
    if (std::ranges::any_of(lengths, [&](int64_t length) { return length != x.shape()[1]; }))
      return Unsupported("sequences that are shorter than x");
  } else {
    ASSIGN_OR_RETURN(layer.x, node.Emit(quant::Reshape{{1, batch, inputs}}, {x}, "step"));
  }
  const Shape state = is_sequence ? Shape{batch, directions, units} : Shape{1, batch, units};
  std::optional<Operand>* const starts[] = {&layer.initial_state, &layer.initial_cell};
  for (size_t i = 0; i < states; ++i) {
    ASSIGN_OR_RETURN(const Operand start, node.Input(1 + i));
    ASSIGN_OR_RETURN(*starts[i], node.Emit(quant::Reshape{state}, {start}, "state"));
  }
  std::vector<Operand> operands;
  std::vector<Walk> walks;
  if (rules.has_value()) {
    ASSIGN_OR_RETURN(walks, StepByStep(node, layer, *rules));
  } else {
    ASSIGN_OR_RETURN(operands, RecurrentOperands(node, layer));
  }
  std::vector<quant::SequenceResult> results = {quant::SequenceResult::kFinalState,
                                                quant::SequenceResult::kFinalCell};
  if (is_sequence) results.insert(results.begin(), quant::SequenceResult::kStates);
  for (size_t i = 0; i < std::min(node.num_outputs(), results.size()); ++i) {
    if (!node.IsRead(i) && i > 0) continue;
    ASSIGN_OR_RETURN(Operand y, walks.empty() ? RecurrentResult(node, layer, operands, results[i])
                                              : WalkResult(node, layer, walks, results[i]));
    if (results[i] == quant::SequenceResult::kStates) {  // [B, T, D, H] as [B, D, T, H]
      ASSIGN_OR_RETURN(y, node.Emit(quant::Transpose{{0, 2, 1, 3}}, {y}, "states"));
    } else if (!is_sequence) {
      ASSIGN_OR_RETURN(y, node.Emit(quant::Reshape{{batch, units}}, {y}, "final"));
    }
    RETURN_IF_ERROR(node.FinishOutputAs(i, y));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ImportGRUCell(IrNode& node) { return FinishRecurrent(node, Cell::kGru, false); }
absl::Status ImportGRUSequence(IrNode& node) { return FinishRecurrent(node, Cell::kGru, true); }
absl::Status ImportLSTMCell(IrNode& node) { return FinishRecurrent(node, Cell::kLstm, false); }
absl::Status ImportLSTMSequence(IrNode& node) { return FinishRecurrent(node, Cell::kLstm, true); }
absl::Status ImportRNNCell(IrNode& node) { return FinishRecurrent(node, Cell::kRnn, false); }
absl::Status ImportRNNSequence(IrNode& node) { return FinishRecurrent(node, Cell::kRnn, true); }

}  // namespace tally::openvino
