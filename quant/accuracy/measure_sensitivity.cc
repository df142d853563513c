#include "quant/accuracy/measure_sensitivity.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/status_macros.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/accuracy/served_inputs.h"
#include "quant/graph/float_executor.h"
#include "quant/grid/quantized_tensor.h"

namespace tally::quant {
namespace {

// The reals of the elements of a value of floats or integers.
std::vector<double> Reals(const Tensor& tensor) {
  return std::visit([](const auto& t) { return std::vector<double>(t.data.begin(), t.data.end()); }, tensor);
}

void AddErrors(const std::vector<Tensor>& expected, const std::vector<Tensor>& actual,
               std::vector<ValueError>& errors) {
  for (size_t o = 0; o < expected.size(); ++o) {
    const std::vector<double> a = Reals(expected[o]), b = Reals(actual[o]);
    for (size_t i = 0; i < a.size(); ++i) errors[o].Add(a[i], b[i]);
  }
}

}  // namespace

absl::Status MeasureSensitivity(const Graph& graph, int64_t num_samples, const SampleSource& samples,
                                LayerAccuracies& layers, const Progress& progress) {
  FloatExecutor executor(graph);
  std::vector<std::vector<ValueError>> errors(layers.layers.size(),
                                              std::vector<ValueError>(graph.outputs.size()));
  for (int64_t sample = 0; sample < num_samples; ++sample) {
    ASSIGN_OR_RETURN(const std::vector<FloatTensor> floats, samples(sample));
    for (const FloatTensor& input : floats) RETURN_IF_ERROR(CheckFinite(input.data, sample));
    ASSIGN_OR_RETURN(const std::vector<Tensor> expected, executor.Run(floats));
    for (size_t place = 0; place < layers.layers.size(); ++place) {
      const LayerAccuracy& layer = layers.layers[place];
      if (layer.moves) continue;
      const auto round = [&](ValueId value, FloatTensor& tensor) {
        if (value == layer.value) RoundToGrid(layer.type, tensor);
      };
      ASSIGN_OR_RETURN(const std::vector<Tensor> actual, executor.Run(floats, {.adjust = round}));
      AddErrors(expected, actual, errors[place]);
    }
    if (progress) progress(sample + 1, num_samples);
  }
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    if (IsChoice(graph, graph.outputs[o])) continue;
    for (size_t place = 0; place < layers.layers.size(); ++place) {
      if (layers.layers[place].moves) continue;
      std::optional<double>& worst = layers.layers[place].alone_db;
      const double db = errors[place][o].sqnr_db();
      worst = std::min(worst.value_or(db), db);
    }
  }
  return absl::OkStatus();
}

}  // namespace tally::quant
