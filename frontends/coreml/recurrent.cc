// Layers that walk along sequences: x [S, B, I, 1, 1], states [1, B, H, 1, 1].
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/activations.h"
#include "frontends/coreml/operators.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/recurrent_cells.h"

namespace tally::coreml {
namespace {

using quant::FloatTensor;
using quant::Shape;
using Type = schema::Activation;

// The weights of a gate, in the order of recurrent.h; a peephole where the gate has one.
struct Gate {
  const schema::Weights *w, *r, *bias;
  const schema::Weights* peephole = nullptr;
};

// The fields that all of these layers have.
struct Form {
  Cell cell = Cell::kRnn;
  uint64_t inputs = 0, units = 0;
  std::vector<std::vector<Gate>> directions;  // one, or two of which the second walks back
  std::vector<std::vector<ActivationFunction>> functions;
  bool returns_all = false, has_bias = false, is_reverse = false;
  bool has_peephole = false, is_coupled = false, adds_forget_bias = false;
  float cell_bound = 50;
};

// Numbers that the file leaves out are those of the document, of which there is one for each function.
absl::StatusOr<ActivationFunction> RecurrentFunction(const Type& activation) {
  ActivationFunction f = FunctionOf(activation);
  const bool is_left_out = f.alpha == 0 && f.beta == 0;
  switch (f.type) {
    case Type::kLinear:
      if (is_left_out) f.alpha = 1;
      return f;
    case Type::kSigmoidHard:
      if (is_left_out) f.alpha = 0.2f, f.beta = 0.5f;
      return f;
    case Type::kScaledTanh:
      if (is_left_out) f.alpha = 1.7159f, f.beta = 2.0f / 3;
      return f;
    case Type::kSigmoid:
    case Type::kTanh:
    case Type::kRelu: return f;
    default:
      return Malformed(
          "a recurrent layer has an activation other than linear, sigmoid, tanh, relu, sigmoidHard and "
          "scaledTanh");
  }
}

template <typename Activations>
absl::StatusOr<std::vector<ActivationFunction>> Functions(const Activations& activations, int count) {
  if (activations.size() != count)
    return Malformed(absl::StrCat("it has ", activations.size(), " activations, not ", count));
  std::vector<ActivationFunction> functions;
  for (const Type& activation : activations) {
    ASSIGN_OR_RETURN(functions.emplace_back(), RecurrentFunction(activation));
  }
  return functions;
}

// The activation that the graph's own layers have, where it is one of these.
std::optional<quant::Activation> OfGraph(const ActivationFunction& f) {
  if (f.type == Type::kSigmoid) return quant::Activation::kSigmoid;
  if (f.type == Type::kTanh) return quant::Activation::kTanh;
  if (f.type == Type::kSigmoidHard && f.alpha == 0.2f && f.beta == 0.5f)
    return quant::Activation::kHardSigmoid;
  return std::nullopt;
}

// A tensor of weights of all gates of all directions, one after the other: [D, G H, ..].
absl::StatusOr<FloatTensor> Joined(CoremlLayer& layer, const Form& form, const schema::Weights* Gate::*which,
                                   const Shape& each, const char* what) {
  FloatTensor joined{{std::ssize(form.directions), 0}, {}};
  joined.shape.insert(joined.shape.end(), each.begin() + 1, each.end());
  for (const std::vector<Gate>& gates : form.directions) {
    joined.shape[1] = 0;
    for (const Gate& gate : gates) {
      if (gate.*which == nullptr) continue;
      ASSIGN_OR_RETURN(const Operand part, layer.Weight(*(gate.*which), each, what));
      const auto& data = std::get<FloatTensor>(*part.constant).data;
      joined.data.insert(joined.data.end(), data.begin(), data.end());
      joined.shape[1] += each[0];
    }
  }
  return joined;
}

struct Read {
  RecurrentLayer layer;  // its tensors; activations where the graph has all of them
  int64_t steps = 1, batch = 1;
};

absl::StatusOr<std::optional<Operand>> StartAt(CoremlLayer& layer, size_t first, size_t stride,
                                               int64_t directions, const Shape& state) {
  if (layer.num_inputs() <= first) return std::nullopt;
  std::vector<Operand> starts;
  for (int64_t d = 0; d < directions; ++d) {
    ASSIGN_OR_RETURN(const Operand x, layer.Real(first + static_cast<size_t>(d) * stride));
    if (quant::NumElements(x.shape()) != quant::NumElements(state))
      return BadShape("a state is " + quant::ToString(x.shape()) + ", not " + quant::ToString(state));
    ASSIGN_OR_RETURN(starts.emplace_back(), layer.Emit(quant::Reshape{state}, {x}, "start"));
  }
  if (directions == 1) return std::optional(starts[0]);
  ASSIGN_OR_RETURN(Operand both, layer.Emit(quant::Concat{0}, starts, "starts"));
  return std::optional(std::move(both));
}

absl::StatusOr<Read> ReadRecurrent(CoremlLayer& layer, const Form& form) {
  ASSIGN_OR_RETURN(const int64_t inputs, SizeOf(form.inputs));
  ASSIGN_OR_RETURN(const int64_t units, SizeOf(form.units));
  const int64_t directions = std::ssize(form.directions);
  ASSIGN_OR_RETURN(const Operand x, layer.Real(0));
  const Shape& shape = x.shape();
  Read read;
  if (layer.is_exact() && shape.size() != 5)
    return BadShape("x is " + quant::ToString(shape) + ", not [S, B, I, 1, 1]");
  read.steps = layer.is_exact() ? shape[0] : layer.sequence(0);
  read.batch = layer.is_exact() ? shape[1] : shape[0] / read.steps;
  const Shape along = {read.steps, read.batch, inputs};
  if (quant::NumElements(shape) != quant::NumElements(along))
    return BadShape("x is " + quant::ToString(shape) + ", not " + quant::ToString(along));
  RecurrentLayer& of_graph = read.layer;
  of_graph.cell = form.cell;
  ASSIGN_OR_RETURN(of_graph.x, layer.Emit(quant::Reshape{along}, {x}, "steps"));
  of_graph.sequences.direction = directions == 2   ? Direction::kBidirectional
                                 : form.is_reverse ? Direction::kReverse
                                                   : Direction::kForward;
  ASSIGN_OR_RETURN(FloatTensor w, Joined(layer, form, &Gate::w, {units, inputs}, "w"));
  ASSIGN_OR_RETURN(FloatTensor r, Joined(layer, form, &Gate::r, {units, units}, "r"));
  ASSIGN_OR_RETURN(of_graph.w, layer.NewConstant(std::move(w), "w"));
  ASSIGN_OR_RETURN(of_graph.r, layer.NewConstant(std::move(r), "r"));
  FloatTensor bias{{directions, GatesOf(form.cell) * units},
                   std::vector<float>(static_cast<size_t>(directions * GatesOf(form.cell) * units))};
  if (form.has_bias) {
    ASSIGN_OR_RETURN(bias, Joined(layer, form, &Gate::bias, {units}, "bias"));
  }
  if (form.adds_forget_bias) {
    for (int64_t d = 0; d < directions; ++d) {
      for (int64_t i = 0; i < units; ++i) bias.data[static_cast<size_t>((d * 4 + 2) * units + i)] += 1;
    }
  }
  of_graph.x_bias = std::move(bias);
  if (form.has_peephole) {
    ASSIGN_OR_RETURN(FloatTensor peephole, Joined(layer, form, &Gate::peephole, {units}, "peephole"));
    ASSIGN_OR_RETURN(of_graph.peephole, layer.NewConstant(std::move(peephole), "peephole"));
  }
  const Shape state = {1, read.batch, units};
  const size_t stride = form.cell == Cell::kLstm ? 2 : 1;
  ASSIGN_OR_RETURN(of_graph.initial_state, StartAt(layer, 1, stride, directions, state));
  if (form.cell == Cell::kLstm) {
    ASSIGN_OR_RETURN(of_graph.initial_cell, StartAt(layer, 2, stride, directions, state));
  }
  return read;
}

// y [S or 1, B, D H], and the states of each direction after its last step: h, and c of an LSTM, [B, H] each.
struct Results {
  Operand y;
  std::vector<Operand> last;
};

bool IsOfGraph(CoremlLayer& layer, const Form& form, const Read& read) {
  for (const auto& functions : form.functions) {
    if (functions != form.functions[0]) return false;
    for (const ActivationFunction& f : functions) {
      if (!OfGraph(f).has_value()) return false;
    }
  }
  if (form.cell != Cell::kLstm) return true;
  if (form.is_coupled || form.cell_bound < 50) return false;
  // A step adds at most 1 to a cell.
  if (read.layer.initial_cell.has_value() || static_cast<float>(read.steps) > form.cell_bound)
    layer.Note("its cell is not bounded to what cellClipThreshold says, which trained ones do not reach");
  return true;
}

constexpr float kGateBound = 50;

// f of a sum, bounded if f does not bound it itself.
CellFunction AsCellFunction(const ActivationFunction& f) {
  return [f](Emitter& emitter, Operand sum) -> absl::StatusOr<Operand> {
    if (f.type == Type::kLinear || f.type == Type::kRelu) {
      ASSIGN_OR_RETURN(sum, Clip(emitter, sum, -kGateBound, kGateBound));
    }
    return Activate(emitter, sum, f);
  };
}

// Gives the results of a layer: by an operator of the graph, or by its steps.
using ResultOf = std::function<absl::StatusOr<Operand>(quant::SequenceResult)>;

absl::StatusOr<ResultOf> ByGraph(CoremlLayer& layer, const Form& form, RecurrentLayer of_graph) {
  for (const ActivationFunction& f : form.functions[0]) of_graph.activations.push_back(*OfGraph(f));
  ASSIGN_OR_RETURN(std::vector<Operand> operands, RecurrentOperands(layer, of_graph));
  return [&layer, of_graph = std::move(of_graph), operands = std::move(operands)](
             quant::SequenceResult result) { return RecurrentResult(layer, of_graph, operands, result); };
}

absl::StatusOr<ResultOf> BySteps(CoremlLayer& layer, const Form& form, const RecurrentLayer& of_graph) {
  CellRules rules = {.cell_bound = form.cell_bound, .is_coupled = form.is_coupled};
  for (const auto& functions : form.functions) {
    auto& of_direction = rules.functions.emplace_back();
    for (const ActivationFunction& f : functions) of_direction.push_back(AsCellFunction(f));
  }
  ASSIGN_OR_RETURN(std::vector<Walk> walks, StepByStep(layer, of_graph, rules));
  return [&layer, &of_graph, walks = std::move(walks)](quant::SequenceResult result) {
    return WalkResult(layer, of_graph, walks, result);
  };
}

absl::StatusOr<Results> ResultsOf(CoremlLayer& layer, const Form& form, const Read& read,
                                  const ResultOf& result) {
  const int64_t directions = std::ssize(form.directions), units = read.layer.units();
  Results results;
  std::vector<quant::SequenceResult> kinds = {quant::SequenceResult::kFinalState};
  if (form.cell == Cell::kLstm) kinds.push_back(quant::SequenceResult::kFinalCell);
  const auto parts = [&](const Operand& all) -> absl::StatusOr<std::vector<Operand>> {
    std::vector<Operand> each;
    for (int64_t d = 0; d < directions; ++d) {
      Operand one = all;
      if (directions > 1) {
        ASSIGN_OR_RETURN(
            one, layer.Emit(quant::Slice{{d, 0, 0}, {d + 1, read.batch, units}, {1, 1, 1}}, {all}, "part"));
      }
      ASSIGN_OR_RETURN(each.emplace_back(), layer.Emit(quant::Reshape{{read.batch, units}}, {one}, "last"));
    }
    return each;
  };
  const bool reads_last =
      !form.returns_all || layer.IsRead(1) || layer.IsRead(2) || layer.IsRead(3) || layer.IsRead(4);
  std::vector<std::vector<Operand>> last(kinds.size());
  for (size_t i = 0; i < kinds.size() && reads_last; ++i) {
    if (i == 1 && !layer.IsRead(2) && !layer.IsRead(4)) continue;
    ASSIGN_OR_RETURN(const Operand all, result(kinds[i]));
    ASSIGN_OR_RETURN(last[i], parts(all));
  }
  for (int64_t d = 0; d < directions; ++d) {
    for (const auto& states : last) {
      if (!states.empty()) results.last.push_back(states[static_cast<size_t>(d)]);
    }
    if (kinds.size() == 2 && last[1].empty() && !last[0].empty())
      results.last.push_back(last[0][0]);  // nobody reads it
  }
  if (form.returns_all) {
    ASSIGN_OR_RETURN(Operand all, result(quant::SequenceResult::kStates));
    if (directions > 1) {
      ASSIGN_OR_RETURN(all, layer.Emit(quant::Transpose{{0, 2, 1, 3}}, {all}, "by_step"));
    }
    ASSIGN_OR_RETURN(
        results.y, layer.Emit(quant::Reshape{{read.steps, read.batch, directions * units}}, {all}, "states"));
    return results;
  }
  Operand y = last[0][0];
  if (directions > 1) {
    ASSIGN_OR_RETURN(y, layer.Emit(quant::Concat{1}, {last[0][0], last[0][1]}, "both"));
  }
  ASSIGN_OR_RETURN(results.y, layer.Emit(quant::Reshape{{1, read.batch, directions * units}}, {y}, "final"));
  return results;
}

absl::Status FinishRecurrent(CoremlLayer& layer, const Form& form) {
  const size_t states = (form.cell == Cell::kLstm ? 2 : 1) * form.directions.size();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1 + states));
  if (layer.num_inputs() != 1 && layer.num_inputs() != 1 + states)
    return Malformed(absl::StrCat("it has ", layer.num_inputs(), " inputs, neither 1 nor ", 1 + states));
  ASSIGN_OR_RETURN(const Read read, ReadRecurrent(layer, form));
  ASSIGN_OR_RETURN(const ResultOf result, IsOfGraph(layer, form, read) ? ByGraph(layer, form, read.layer)
                                                                       : BySteps(layer, form, read.layer));
  ASSIGN_OR_RETURN(const Results results, ResultsOf(layer, form, read, result));
  // As lists of each step.
  const auto finish = [&](size_t output, const Operand& y, int64_t steps) -> absl::Status {
    const int64_t width = y.shape().back();
    Shape shape = {steps * read.batch, width};
    if (layer.is_exact()) shape = {steps, read.batch, width, 1, 1};
    layer.SetSequence(steps, output);
    ASSIGN_OR_RETURN(const Operand shaped, layer.Emit(quant::Reshape{shape}, {y}, "result"));
    return layer.FinishOutputAs(output, shaped);
  };
  RETURN_IF_ERROR(finish(0, results.y, form.returns_all ? read.steps : 1));
  for (size_t i = 1; i < std::min(layer.num_outputs(), 1 + results.last.size()); ++i) {
    if (layer.IsRead(i)) RETURN_IF_ERROR(finish(i, results.last[i - 1], 1));
  }
  return absl::OkStatus();
}

std::vector<Gate> LstmGates(const schema::LstmWeights& w) {
  return {{&w.input_gate_weight_matrix(), &w.input_gate_recursion_matrix(), &w.input_gate_bias_vector(),
           &w.input_gate_peephole_vector()},
          {&w.output_gate_weight_matrix(), &w.output_gate_recursion_matrix(), &w.output_gate_bias_vector(),
           &w.output_gate_peephole_vector()},
          {&w.forget_gate_weight_matrix(), &w.forget_gate_recursion_matrix(), &w.forget_gate_bias_vector(),
           &w.forget_gate_peephole_vector()},
          {&w.block_input_weight_matrix(), &w.block_input_recursion_matrix(), &w.block_input_bias_vector()}};
}

template <typename Params>
Form LstmForm(const Params& params) {
  const schema::LstmParams& how = params.params();
  return {.cell = Cell::kLstm,
          .inputs = params.input_vector_size(),
          .units = params.output_vector_size(),
          .returns_all = how.sequence_output(),
          .has_bias = how.adds_bias(),
          .has_peephole = how.adds_peephole(),
          .is_coupled = how.coupled_input_and_forget_gate(),
          .adds_forget_bias = how.forget_bias(),
          .cell_bound = how.cell_clip_threshold() == 0 ? 50 : how.cell_clip_threshold()};
}

}  // namespace

absl::Status ImportSimpleRecurrent(CoremlLayer& layer) {
  const schema::SimpleRecurrent& params = layer.file().simple_recurrent();
  Form form = {.inputs = params.input_vector_size(),
               .units = params.output_vector_size(),
               .directions = {{{&params.weight_matrix(), &params.recursion_matrix(), &params.bias_vector()}}},
               .returns_all = params.sequence_output(),
               .has_bias = params.adds_bias(),
               .is_reverse = params.reverse_input()};
  ASSIGN_OR_RETURN(const ActivationFunction function, RecurrentFunction(params.activation()));
  form.functions = {{function}};
  return FinishRecurrent(layer, form);
}

absl::Status ImportGru(CoremlLayer& layer) {
  const schema::Gru& params = layer.file().gru();
  Form form = {.cell = Cell::kGru,
               .inputs = params.input_vector_size(),
               .units = params.output_vector_size(),
               .directions = {{{&params.update_gate_weight_matrix(), &params.update_gate_recursion_matrix(),
                                &params.update_gate_bias_vector()},
                               {&params.reset_gate_weight_matrix(), &params.reset_gate_recursion_matrix(),
                                &params.reset_gate_bias_vector()},
                               {&params.output_gate_weight_matrix(), &params.output_gate_recursion_matrix(),
                                &params.output_gate_bias_vector()}}},
               .returns_all = params.sequence_output(),
               .has_bias = params.adds_bias(),
               .is_reverse = params.reverse_input()};
  ASSIGN_OR_RETURN(auto functions, Functions(params.activations(), 2));
  form.functions = {std::move(functions)};
  return FinishRecurrent(layer, form);
}

absl::Status ImportUniDirectionalLSTM(CoremlLayer& layer) {
  const schema::UniDirectionalLstm& params = layer.file().uni_directional_lstm();
  Form form = LstmForm(params);
  form.is_reverse = params.reverse_input();
  form.directions = {LstmGates(params.weight_params())};
  ASSIGN_OR_RETURN(auto functions, Functions(params.activations(), 3));
  form.functions = {std::move(functions)};
  return FinishRecurrent(layer, form);
}

absl::Status ImportBiDirectionalLSTM(CoremlLayer& layer) {
  const schema::BiDirectionalLstm& params = layer.file().bi_directional_lstm();
  Form form = LstmForm(params);
  if (params.weight_params_size() != 2)
    return Malformed(
        absl::StrCat("it has the weights of ", params.weight_params_size(), " directions; 2 are right"));
  form.directions = {LstmGates(params.weight_params(0)), LstmGates(params.weight_params(1))};
  ASSIGN_OR_RETURN(auto forward, Functions(params.activations_forward_lstm(), 3));
  ASSIGN_OR_RETURN(auto backward, Functions(params.activations_backward_lstm(), 3));
  form.functions = {std::move(forward), std::move(backward)};
  return FinishRecurrent(layer, form);
}

}  // namespace tally::coreml
