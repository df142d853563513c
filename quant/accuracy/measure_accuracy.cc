#include "quant/accuracy/measure_accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "quant/graph/float_executor.h"
#include "quant/labels.h"
#include "quant/lower/quantized_tensor.h"

namespace tally::quant {
namespace {

absl::Status SameShape(std::string_view what, const std::string& name, std::span<const int64_t> expected,
                       const TensorType& type) {
  if (std::ranges::equal(expected, type.shape.dims())) return absl::OkStatus();
  return MakeError(label::accuracy_module,
                   absl::StrCat(ToAbsl(what), " '", name, "' is ", type.shape.ToString(),
                                " in the module and another in the network"));
}

// The grids of one side of a module, by its metadata; integers without one stand for themselves.
absl::StatusOr<std::vector<QuantizedType>> GridsOf(const std::vector<ValueInfo>& infos,
                                                   const std::vector<TensorType>& types, size_t expected) {
  if (infos.size() != expected || types.size() != expected) {
    return MakeError(label::accuracy_module,
                     absl::StrCat("the network has ", expected, " of what the module has ", types.size()));
  }
  std::vector<QuantizedType> grids;
  for (const ValueInfo& info : infos) {
    grids.push_back(info.quantization ? FromMetadata(*info.quantization) : QuantizedType{});
  }
  return grids;
}

absl::Status CheckFinite(std::span<const float> x, int64_t sample) {
  if (std::ranges::all_of(x, [](float v) { return std::isfinite(v); })) return absl::OkStatus();
  return MakeError(label::calibration_not_finite,
                   absl::StrCat("sample ", sample, " holds or leads to NaN or an infinity"));
}

std::vector<double> Reals(const Tensor& x) {
  return std::visit([](const auto& t) { return std::vector<double>(t.data.begin(), t.data.end()); }, x);
}

}  // namespace

double Accuracy::worst_sqnr_db() const {
  double worst = std::numeric_limits<double>::infinity();
  for (const OutputAccuracy& output : outputs) worst = std::min(worst, output.error.sqnr_db());
  return worst;
}

absl::StatusOr<Accuracy> MeasureAccuracy(const Graph& graph, const Plan& plan, int64_t num_samples,
                                         const SampleSource& samples, const Progress& progress) {
  const ValidModule& module = plan.module();
  const Metadata& metadata = module.module().metadata;
  const std::vector<TensorType>& params = module.entry().params;
  std::vector<TensorType> results;
  for (const tally::ValueId id : module.entry().results) results.push_back(module.types()[id]);
  ASSIGN_OR_RETURN(const auto input_grids, GridsOf(metadata.params, params, graph.inputs.size()));
  ASSIGN_OR_RETURN(const auto output_grids, GridsOf(metadata.results, results, graph.outputs.size()));
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Value& input = graph.values[graph.inputs[i]];
    RETURN_IF_ERROR(SameShape("input", input.name, input.type.shape, params[i]));
  }
  Accuracy accuracy = {.samples = num_samples};
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const Output& output = graph.outputs[i];
    RETURN_IF_ERROR(SameShape("output", output.name, graph.values[output.value].type.shape, results[i]));
    accuracy.outputs.push_back({.name = output.name, .step = output_grids[i].scale});
  }
  if (num_samples < 1) return MakeError(label::calibration_no_samples, "there is no sample to compare on");

  FloatExecutor executor(graph);
  for (int64_t sample = 0; sample < num_samples; ++sample) {
    ASSIGN_OR_RETURN(const std::vector<FloatTensor> floats, samples(sample));
    for (const FloatTensor& input : floats) RETURN_IF_ERROR(CheckFinite(input.data, sample));
    ASSIGN_OR_RETURN(const std::vector<Tensor> expected, executor.Run(floats));
    std::vector<tally::Tensor> inputs;
    std::vector<TensorView> views;
    for (size_t i = 0; i < floats.size(); ++i)
      inputs.push_back(QuantizeTensor(floats[i].data, input_grids[i], params[i]));
    for (const tally::Tensor& input : inputs) views.push_back(input.view());
    ASSIGN_OR_RETURN(const Outcome outcome, plan.Execute(views, {}));
    for (size_t i = 0; i < expected.size(); ++i) {
      if (const auto* real = std::get_if<FloatTensor>(&expected[i]))
        RETURN_IF_ERROR(CheckFinite(real->data, sample));
      const std::vector<double> wanted = Reals(expected[i]),
                                got = DequantizeTensor(outcome.results[i].view(), output_grids[i]);
      const Shape& shape = ShapeOf(expected[i]);
      const int64_t row = shape.empty() ? 1 : shape.back();
      accuracy.outputs[i].error.Add(wanted, got, row);
    }
    if (progress) progress(sample + 1, num_samples);
  }
  return accuracy;
}

}  // namespace tally::quant
