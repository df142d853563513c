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
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/recurrent_cells.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

using quant::Activation;
using quant::FloatTensor;
using quant::SequenceResult;
using quant::Shape;

constexpr float kNoClip = 1e30f;  // exporters write the largest float

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

// A function by its name in ONNX. Its numbers are those of the lists, or these.
struct Function {
  std::string_view name;
  int num_numbers = 0;  // from activation_alpha, a second one from activation_beta
  float alpha = 0, beta = 0;
  bool operator==(const Function&) const = default;
};
constexpr Function kFunctions[] = {{"Affine", 2, 1, 0},
                                   {"Elu", 1, 1},
                                   {"HardSigmoid", 2, 0.2f, 0.5f},
                                   {"LeakyRelu", 1, 0.01f},
                                   {"Relu"},
                                   {"ScaledTanh", 2, 1, 1},
                                   {"Sigmoid"},
                                   {"Softplus"},
                                   {"Softsign"},
                                   {"Tanh"},
                                   {"ThresholdedRelu", 1, 1}};

// The functions of all directions, one after the other.
absl::StatusOr<std::vector<Function>> ReadFunctions(NodeContext& node, const RecurrentLayer& layer) {
  ASSIGN_OR_RETURN(auto names, node.attributes().Strings("activations"));
  ASSIGN_OR_RETURN(const auto alphas, node.attributes().Floats("activation_alpha"));
  ASSIGN_OR_RETURN(const auto betas, node.attributes().Floats("activation_beta"));
  std::vector<std::string> usual = {"Tanh"};
  if (layer.cell == Cell::kGru) usual = {"Sigmoid", "Tanh"};
  if (layer.cell == Cell::kLstm) usual = {"Sigmoid", "Tanh", "Tanh"};
  const size_t count = usual.size() * static_cast<size_t>(layer.directions());
  if (!names.has_value()) {
    names.emplace();
    while (names->size() < count) names->insert(names->end(), usual.begin(), usual.end());
  }
  if (names->size() != count) {
    return MakeError(label::model_malformed,
                     absl::StrCat("there are ", names->size(), " activations; ", count, " are right"));
  }
  std::vector<Function> functions;
  size_t alpha = 0, beta = 0;
  for (const std::string& name : *names) {
    const auto known = std::ranges::find(kFunctions, name, &Function::name);
    if (known == std::end(kFunctions))
      return UnsupportedAttribute("activation " + PrintableStart(name) + " is not one of the format");
    Function& function = functions.emplace_back(*known);
    if (function.num_numbers > 0 && alphas.has_value() && alpha < alphas->size())
      function.alpha = (*alphas)[alpha++];
    if (function.num_numbers > 1 && betas.has_value() && beta < betas->size())
      function.beta = (*betas)[beta++];
  }
  if ((alphas.has_value() && alpha < alphas->size()) || (betas.has_value() && beta < betas->size()))
    return MakeError(label::model_malformed,
                     "activation_alpha or activation_beta has numbers that none of its "
                     "activations takes");
  return functions;
}

// The function of the graph's own operators that this one is, if it is one of them.
std::optional<Activation> OfGraph(const Function& function) {
  if (function.name == "Sigmoid") return Activation::kSigmoid;
  if (function.name == "Tanh") return Activation::kTanh;
  if (function == kFunctions[2]) return Activation::kHardSigmoid;
  if (function.name == "Relu") return Activation::kRelu;
  return std::nullopt;
}

// Those of the graph's own operator, where it has these functions in both directions.
std::optional<std::vector<Activation>> ActivationsOfGraph(const RecurrentLayer& layer,
                                                          const std::vector<Function>& functions) {
  const size_t count = functions.size() / static_cast<size_t>(layer.directions());
  std::vector<Activation> activations;
  for (size_t i = 0; i < functions.size(); ++i) {
    const auto activation = OfGraph(functions[i]);
    if (!activation.has_value() || functions[i] != functions[i % count]) return std::nullopt;
    if (i < count) activations.push_back(*activation);
  }
  if (!HasOperator(layer.cell, activations)) return std::nullopt;
  return activations;
}

CellFunction AsCellFunction(const Function& f) {
  using quant::Unary;
  const auto unary = [](Unary unary) {
    return [unary](Emitter& emitter, const Operand& x) { return emitter.Emit(unary, {x}, "bent"); };
  };
  if (f.name == "Affine") {
    return [f](Emitter& emitter, const Operand& x) { return Affine(emitter, x, f.alpha, f.beta); };
  }
  if (f.name == "ScaledTanh") {
    return [f](Emitter& emitter, const Operand& x) -> absl::StatusOr<Operand> {
      ASSIGN_OR_RETURN(const Operand inside, Affine(emitter, x, f.beta, 0));
      ASSIGN_OR_RETURN(const Operand y, emitter.Emit(Unary{RecipeFunction::kTanh}, {inside}, "bent"));
      return Affine(emitter, y, f.alpha, 0);
    };
  }
  if (f.name == "LeakyRelu") {
    return [f](Emitter& emitter, const Operand& x) {
      return emitter.Emit(quant::Slopes{f.alpha, 1}, {x}, "bent");
    };
  }
  if (f.name == "Elu") return unary({RecipeFunction::kElu, f.alpha});
  if (f.name == "HardSigmoid") return unary({RecipeFunction::kHardSigmoid, f.alpha, f.beta});
  if (f.name == "Softplus") return unary({RecipeFunction::kSoftplus});
  if (f.name == "Softsign") return unary({RecipeFunction::kSoftsign});
  if (f.name == "ThresholdedRelu") return unary({RecipeFunction::kThreshold, f.alpha});
  return FunctionOf(*OfGraph(f));
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

// A layer, and how its steps are computed where the graph's own operator is another.
struct ReadLayers {
  RecurrentLayer layer;
  std::optional<CellRules> rules;
};

absl::Status ReadRules(NodeContext& node, ReadLayers& read) {
  ASSIGN_OR_RETURN(const std::vector<Function> functions, ReadFunctions(node, read.layer));
  ASSIGN_OR_RETURN(const float clip, node.attributes().Float("clip", 0));
  bool is_coupled = false;
  if (read.layer.cell == Cell::kLstm) {
    ASSIGN_OR_RETURN(is_coupled, node.attributes().Bool("input_forget", false));
  }
  const size_t count = functions.size() / static_cast<size_t>(read.layer.directions());
  const bool has_clip = clip > 0 && clip < kNoClip;
  auto activations = ActivationsOfGraph(read.layer, functions);
  if (activations.has_value() && !has_clip && !is_coupled) {
    read.layer.activations = *std::move(activations);
    return absl::OkStatus();
  }
  CellRules& rules = read.rules.emplace();
  rules.is_coupled = is_coupled;
  if (has_clip) rules.sum_bound = clip;
  for (size_t i = 0; i < functions.size(); ++i) {
    if (i % count == 0) rules.functions.emplace_back();
    rules.functions.back().push_back(AsCellFunction(functions[i]));
  }
  return absl::OkStatus();
}

// The attributes and inputs that all three have.
absl::StatusOr<ReadLayers> ReadLayer(NodeContext& node, Cell cell) {
  RETURN_IF_ERROR(node.CheckInputCount(3, cell == Cell::kLstm ? kPeephole + 1 : kInitialH + 1));
  ReadLayers read = {.layer = {.cell = cell}};
  RecurrentLayer& layer = read.layer;
  for (const auto& [input, operand] :
       {std::pair(kX, &layer.x), std::pair(kW, &layer.w), std::pair(kR, &layer.r)}) {
    ASSIGN_OR_RETURN(*operand, node.Input(input));
    if (operand->shape().size() != 3) {
      return MakeError(label::model_shape, "X, W or R is " + quant::ToString(operand->shape()));
    }
    if (input != kX) RETURN_IF_ERROR(node.FloatConstant(input).status());
  }
  ASSIGN_OR_RETURN(layer.sequences.direction, ReadDirection(node));
  RETURN_IF_ERROR(ReadRules(node, read));
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
  return read;
}

// A node for each output that something reads.
absl::Status FinishLayer(NodeContext& node, const ReadLayers& read) {
  constexpr std::array kResults = {SequenceResult::kStates, SequenceResult::kFinalState,
                                   SequenceResult::kFinalCell};
  const RecurrentLayer& layer = read.layer;
  std::vector<Operand> operands;
  std::vector<Walk> walks;
  if (read.rules.has_value()) {
    ASSIGN_OR_RETURN(walks, StepByStep(node, layer, *read.rules));
  } else {
    ASSIGN_OR_RETURN(operands, RecurrentOperands(node, layer));
  }
  for (size_t i = 0; i < std::min(node.num_outputs(), kResults.size()); ++i) {
    if (!node.IsRead(i)) continue;
    RETURN_IF_ERROR(node.FinishOutputAs(i, walks.empty() ? RecurrentResult(node, layer, operands, kResults[i])
                                                         : WalkResult(node, layer, walks, kResults[i])));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ImportRnn(NodeContext& node) {
  ASSIGN_OR_RETURN(const ReadLayers read, ReadLayer(node, Cell::kRnn));
  return FinishLayer(node, read);
}

absl::Status ImportGru(NodeContext& node) {
  ASSIGN_OR_RETURN(ReadLayers read, ReadLayer(node, Cell::kGru));
  ASSIGN_OR_RETURN(read.layer.reset_after, node.attributes().Bool("linear_before_reset", false));
  return FinishLayer(node, read);
}

absl::Status ImportLstm(NodeContext& node) {
  ASSIGN_OR_RETURN(ReadLayers read, ReadLayer(node, Cell::kLstm));
  if (node.HasInput(kPeephole)) {
    ASSIGN_OR_RETURN(read.layer.peephole, node.Input(kPeephole));
  }
  return FinishLayer(node, read);
}

}  // namespace tally::onnx
