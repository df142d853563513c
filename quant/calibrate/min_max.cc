#include "quant/calibrate/min_max.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "quant/graph/float_executor.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

// The range of a tensor, or nothing when an element is not finite.
std::optional<Range> MinMax(const FloatTensor& tensor) {
  Range range{tensor.data[0], tensor.data[0], static_cast<int64_t>(tensor.data.size())};
  for (const float element : tensor.data) {
    if (!std::isfinite(element)) return std::nullopt;
    range.min = std::min(range.min, element);
    range.max = std::max(range.max, element);
  }
  return range;
}

void Merge(const Range& sample, std::optional<Range>& total) {
  if (!total.has_value()) {
    total = sample;
    return;
  }
  total->min = std::min(total->min, sample.min);
  total->max = std::max(total->max, sample.max);
  total->count += sample.count;
}

}  // namespace

absl::StatusOr<Calibration> CalibrateMinMax(const Graph& graph, int64_t num_samples,
                                            const SampleSource& samples, const Progress& progress) {
  if (num_samples < 1)
    return MakeError(label::calibration_no_samples, "calibration needs at least one sample");
  FloatExecutor executor(graph);
  // By value, and of what its node computes inside.
  std::vector<std::optional<Range>> ranges(graph.values.size()), inner_ranges(graph.values.size());
  for (int64_t sample = 0; sample < num_samples; ++sample) {
    std::optional<ValueId> not_finite;  // the first one: later values only inherit it
    ASSIGN_OR_RETURN(const std::vector<FloatTensor> inputs, samples(sample));
    const auto merge_into = [&](std::vector<std::optional<Range>>& totals) {
      return [&](ValueId value, const FloatTensor& tensor) {
        const std::optional<Range> range = MinMax(tensor);
        if (range.has_value()) {
          Merge(*range, totals[value]);
        } else if (!not_finite.has_value()) {
          not_finite = value;
        }
      };
    };
    const auto outputs = executor.Run(inputs, merge_into(ranges), merge_into(inner_ranges));
    RETURN_IF_ERROR(outputs.status());
    if (not_finite.has_value()) {
      return MakeError(label::calibration_not_finite, "value '" + graph.values[*not_finite].name +
                                                          "' holds NaN or an infinity for sample " +
                                                          std::to_string(sample));
    }
    if (progress) progress(sample + 1, num_samples);
  }

  Calibration calibration{num_samples, {}};
  for (size_t value = 0; value < ranges.size(); ++value) {
    if (ranges[value].has_value()) calibration.values[graph.values[value].name] = *ranges[value];
    if (inner_ranges[value].has_value()) {
      calibration.values[InnerName(graph, static_cast<ValueId>(value))] = *inner_ranges[value];
    }
  }
  return calibration;
}

}  // namespace tally::quant
