#include "quant/accuracy/measure_accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "quant/accuracy/served_inputs.h"
#include "quant/graph/float_executor.h"
#include "quant/grid/quantized_tensor.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

// The grids of the results, by the module's metadata; integers without one stand for themselves.
absl::StatusOr<std::vector<QuantizedType>> GridsOfResults(const Graph& graph, const ValidModule& module) {
  const std::vector<ValueInfo>& infos = module.module().metadata.results;
  if (infos.size() != graph.outputs.size()) {
    return MakeError(label::accuracy_module, absl::StrCat("the network has ", graph.outputs.size(),
                                                          " outputs and the module ", infos.size()));
  }
  std::vector<QuantizedType> grids;
  for (const ValueInfo& info : infos) {
    grids.push_back(info.quantization ? FromMetadata(*info.quantization) : QuantizedType{});
  }
  return grids;
}

std::vector<double> Reals(const Tensor& x) {
  return std::visit([](const auto& t) { return std::vector<double>(t.data.begin(), t.data.end()); }, x);
}

// By how much an element has to change to be evidence: that of a bounded result by a share of its bounds.
double LeastChange(const Graph& graph, ValueId id) {
  constexpr double kShare = 0.01;
  const int32_t producer = graph.values[id].producer;
  if (producer == kGraphInput) return 0;
  const Node& node = graph.nodes[static_cast<size_t>(producer)];
  if (TraitsOf(node.op).moves && TraitsOf(node.op).grid == Grid::kOfOperand)
    return LeastChange(graph, node.operands[0]);
  const auto [low, high] = ResultBoundsOf(node.op);
  return std::isfinite(low) && std::isfinite(high) ? kShare * (high - low) : 0;
}

// The largest distance of an element from that of `first`, or from 0 where that is null.
double LargestChange(std::span<const double> elements, const std::vector<double>* first) {
  double largest = 0;
  for (size_t i = 0; i < elements.size(); ++i)
    largest = std::max(largest, std::abs(elements[i] - (first == nullptr ? 0 : (*first)[i])));
  return largest;
}

double SqnrOf(std::span<const double> expected, std::span<const double> actual) {
  ValueError error;
  for (size_t i = 0; i < expected.size(); ++i) error.Add(expected[i], actual[i]);
  return error.sqnr_db();
}

// Counts one sample, whose rows are those of `right`.
void AddRows(std::span<const double> rows, std::span<const int64_t> right, LogLoss& loss, RightCount& count) {
  const size_t length = rows.size() / right.size();
  for (size_t i = 0; i < right.size(); ++i) {
    loss.Add(rows.subspan(i * length, length), right[i]);
    count.Add(rows.subspan(i * length, length), right[i]);
  }
}

}  // namespace

bool IsChoice(const Graph& graph, const Output& output) {
  const auto is_float = [&](ValueId value) {
    return graph.values[value].type.element == ElementType::kFloat32;
  };
  if (is_float(output.value) || std::ranges::none_of(graph.outputs, is_float, &Output::value)) return false;
  std::vector<bool> decided(graph.values.size());  // by value: whether it is computed, and of floats
  for (const ValueId input : graph.inputs) decided[input] = is_float(input);
  for (const Node& node : graph.nodes) {
    decided[node.result] = ConstantOf(graph, node.result) == nullptr &&
                           (is_float(node.result) || std::ranges::any_of(node.operands, [&](ValueId operand) {
                              return decided[operand];
                            }));
  }
  return decided[output.value];
}

std::vector<const OutputAccuracy*> Accuracy::judged() const {
  const auto has_db = [](const OutputAccuracy& output) { return !output.is_choice; };
  const bool some_vary = std::ranges::any_of(
      outputs, [&](const OutputAccuracy& output) { return has_db(output) && output.varies; });
  std::vector<const OutputAccuracy*> judged;
  for (const OutputAccuracy& output : outputs) {
    if (has_db(output) && output.varies == some_vary) judged.push_back(&output);
  }
  return judged;
}

const OutputAccuracy* Accuracy::worst() const {
  const auto all = judged();
  const auto db = [](const OutputAccuracy* output) { return output->error.sqnr_db(); };
  return all.empty() ? nullptr : *std::ranges::min_element(all, {}, db);
}

double Accuracy::worst_sqnr_db() const {
  return worst() == nullptr ? std::numeric_limits<double>::infinity() : worst()->error.sqnr_db();
}

absl::StatusOr<Accuracy> MeasureAccuracy(const Graph& graph, const Plan& plan, int64_t num_samples,
                                         const SampleSource& samples, const MeasureOptions& options) {
  const ValidModule& module = plan.module();
  ASSIGN_OR_RETURN(const ServedInputs served, ServedInputs::Create(graph, module, options.formats));
  ASSIGN_OR_RETURN(const auto output_grids, GridsOfResults(graph, module));
  Accuracy accuracy = {.samples = num_samples};
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const Output& output = graph.outputs[i];
    RETURN_IF_ERROR(CheckSameShape("output", output.name, graph.values[output.value].type.shape,
                                   module.types()[module.entry().results[i]]));
    const Shape& shape = graph.values[output.value].type.shape;
    accuracy.outputs.push_back({.name = output.name,
                                .step = output_grids[i].scale,
                                .row = RowLength(shape),
                                .is_choice = IsChoice(graph, output)});
  }
  if (num_samples < 1) return MakeError(label::calibration_no_samples, "there is no sample to compare on");

  FloatExecutor executor(graph);
  std::vector<std::vector<double>> first;  // the float network's results for sample 0, by output
  std::vector<double> least_change;        // that is evidence, by output
  for (const Output& output : graph.outputs) least_change.push_back(LeastChange(graph, output.value));
  Outcome outcome;
  for (int64_t sample = 0; sample < num_samples; ++sample) {
    ASSIGN_OR_RETURN(const std::vector<FloatTensor> floats, samples(sample));
    ASSIGN_OR_RETURN(const std::vector<Tensor> expected, executor.Run(floats));
    ASSIGN_OR_RETURN(std::vector<tally::Tensor> inputs, served.Of(floats, sample));
    if (sample > 0 && options.loop.Continues(sample)) {
      for (const State& state : options.loop.states)
        inputs[state.input] = NextState(module, state.output, state.input, outcome.results[state.output]);
    }
    std::vector<TensorView> views;
    for (const tally::Tensor& input : inputs) views.push_back(input.view());
    ASSIGN_OR_RETURN(outcome, plan.Execute(views, {}));
    for (size_t i = 0; i < expected.size(); ++i) {
      if (const auto* real = std::get_if<FloatTensor>(&expected[i]))
        RETURN_IF_ERROR(CheckFinite(real->data, sample));
      const std::vector<double> wanted = Reals(expected[i]),
                                got = DequantizeTensor(outcome.results[i].view(), output_grids[i]);
      if (options.observer) options.observer(i, wanted, got);
      OutputAccuracy& output = accuracy.outputs[i];
      const int64_t row = output.row;
      output.error.Add(wanted, got, row);
      if (!output.is_choice) output.sample_db.push_back(SqnrOf(wanted, got));
      if (sample == 0) first.push_back(wanted);
      const double change = LargestChange(wanted, num_samples == 1 ? nullptr : &first[i]);
      output.varies |= change > 0 && change >= least_change[i];
      if (i > 0 || options.right.empty()) continue;
      const size_t rows = wanted.size() / static_cast<size_t>(row);
      const auto of_sample = options.right.subspan(static_cast<size_t>(sample) * rows, rows);
      AddRows(wanted, of_sample, accuracy.expected_loss, accuracy.expected_right);
      AddRows(got, of_sample, accuracy.loss, accuracy.right);
    }
    if (options.progress) options.progress(sample + 1, num_samples);
  }
  return accuracy;
}

}  // namespace tally::quant
