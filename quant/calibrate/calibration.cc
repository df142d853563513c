#include "quant/calibrate/calibration.h"

#include <algorithm>

#include "base/error.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

absl::StatusOr<Range> Find(const Calibration& calibration, const std::string& name) {
  const auto found = calibration.values.find(name);
  if (found == calibration.values.end()) {
    return MakeError(label::calibration_missing, "the calibration has no range for value '" + name + "'");
  }
  return found->second;
}

}  // namespace

absl::StatusOr<Range> RangeOf(const Calibration& calibration, const Graph& graph, ValueId value) {
  if (const Tensor* constant = ConstantOf(graph, value)) {
    const std::vector<float>& data = std::get<FloatTensor>(*constant).data;
    const auto [min, max] = std::minmax_element(data.begin(), data.end());
    return Range{*min, *max, static_cast<int64_t>(data.size())};
  }
  return Find(calibration, graph.values[value].name);
}

absl::StatusOr<Range> InnerRangeOf(const Calibration& calibration, const Graph& graph, ValueId value) {
  return Find(calibration, InnerName(graph, value));
}

std::string InnerName(const Graph& graph, ValueId value) {
  const Value& known = graph.values[value];
  return known.name + "\t" + std::string(TraitsOf(graph.nodes[known.producer].op).inner);
}

}  // namespace tally::quant
