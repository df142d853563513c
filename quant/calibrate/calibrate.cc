#include "quant/calibrate/calibrate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "base/error.h"
#include "base/status_macros.h"
#include "quant/calibrate/channel_means.h"
#include "quant/calibrate/histogram.h"
#include "quant/calibrate/reach.h"
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

// The ranges of one value in all samples.
class SampleRanges {
 public:
  void Add(const Range& sample) {
    if (!total_.has_value()) total_ = Range{sample.min, sample.max};
    total_->min = std::min(total_->min, sample.min);
    total_->max = std::max(total_->max, sample.max);
    total_->count += sample.count;
    below_.Add(std::max(0.0, -static_cast<double>(sample.min)));
    above_.Add(std::max(0.0, static_cast<double>(sample.max)));
  }

  std::optional<Range> Build() const {
    std::optional<Range> range = total_;
    if (!range.has_value()) return std::nullopt;
    constexpr double kMost = std::numeric_limits<float>::max();
    range->reach = {.min = 0 - static_cast<float>(std::min(below_.Reach(), kMost)),
                    .max = static_cast<float>(std::min(above_.Reach(), kMost))};
    return range;
  }

 private:
  std::optional<Range> total_;
  EndSpread below_, above_;
};

// The data gathered of one graph, by value.
class Gathered {
 public:
  explicit Gathered(const Graph& graph)
      : graph_(graph), ranges_(graph.values.size()), inner_(graph.values.size()) {
    for (const ValueId input : graph.inputs) AddHistogramOf(input);
    for (const Node& node : graph.nodes) {
      if (!TraitsOf(node.op).moves && !std::holds_alternative<Constant>(node.op)) AddHistogramOf(node.result);
      if (TraitsOf(node.op).shifts) means_[node.operands[0]];
    }
  }

  void Add(ValueId value, const FloatTensor& tensor) {
    if (!AddRange(value, tensor, ranges_)) return;
    if (const auto histogram = histograms_.find(value); histogram != histograms_.end())
      histogram->second.Add(tensor.data);
    if (const auto means = means_.find(value); means != means_.end()) means->second.Add(tensor);
  }
  void AddInner(ValueId value, const FloatTensor& tensor) { AddRange(value, tensor, inner_); }

  // The first value that held NaN or an infinity; later ones only inherit it.
  std::optional<ValueId> not_finite() const { return not_finite_; }

  Calibration Build(int64_t num_samples) const {
    Calibration calibration{num_samples};
    for (size_t value = 0; value < ranges_.size(); ++value) {
      const ValueId id = static_cast<ValueId>(value);
      const std::string& name = graph_.values[value].name;
      if (const auto range = inner_[value].Build()) calibration.values[InnerName(graph_, id)] = *range;
      const std::optional<Range> range = ranges_[value].Build();
      if (!range.has_value()) continue;
      calibration.values[name] = *range;
      if (const auto it = histograms_.find(id); it != histograms_.end())
        calibration.histograms[name] = it->second.Build();
      if (const auto it = means_.find(id); it != means_.end()) calibration.means[name] = it->second.Build();
    }
    return calibration;
  }

 private:
  using Ranges = std::vector<SampleRanges>;

  void AddHistogramOf(ValueId value) {
    if (graph_.values[value].type.element == ElementType::kFloat32) histograms_[value];
  }

  bool AddRange(ValueId value, const FloatTensor& tensor, Ranges& ranges) {
    const std::optional<Range> range = MinMax(tensor);
    if (range.has_value()) {
      ranges[value].Add(*range);
    } else if (!not_finite_.has_value()) {
      not_finite_ = value;
    }
    return range.has_value();
  }

  const Graph& graph_;
  Ranges ranges_, inner_;
  std::map<ValueId, ValueHistogramBuilder> histograms_;
  std::map<ValueId, ChannelMeans> means_;
  std::optional<ValueId> not_finite_;
};

}  // namespace

absl::StatusOr<Calibration> Calibrate(const Graph& graph, int64_t num_samples, const SampleSource& samples,
                                      const Progress& progress) {
  if (num_samples < 1)
    return MakeError(label::calibration_no_samples, "calibration needs at least one sample");
  FloatExecutor executor(graph);
  Gathered gathered(graph);
  const RunHooks hooks = {
      .observer = [&](ValueId value, const FloatTensor& tensor) { gathered.Add(value, tensor); },
      .inner = [&](ValueId value, const FloatTensor& tensor) { gathered.AddInner(value, tensor); },
  };
  for (int64_t sample = 0; sample < num_samples; ++sample) {
    ASSIGN_OR_RETURN(const std::vector<FloatTensor> inputs, samples(sample));
    RETURN_IF_ERROR(executor.Run(inputs, hooks).status());
    if (const std::optional<ValueId> value = gathered.not_finite()) {
      return MakeError(label::calibration_not_finite, "value '" + graph.values[*value].name +
                                                          "' holds NaN or an infinity for sample " +
                                                          std::to_string(sample));
    }
    if (progress) progress(sample + 1, num_samples);
  }
  return gathered.Build(num_samples);
}

}  // namespace tally::quant
