#include "quant/calibrate/calibration.h"

#include <algorithm>

#include "base/error.h"
#include "quant/labels.h"

namespace tally::quant {

absl::StatusOr<Range> RangeOf(const Calibration& calibration, const Graph& graph, ValueId value) {
  if (const Tensor* constant = ConstantOf(graph, value)) {
    const std::vector<float>& data = std::get<FloatTensor>(*constant).data;
    const auto [min, max] = std::minmax_element(data.begin(), data.end());
    return Range{*min, *max, static_cast<int64_t>(data.size())};
  }
  const std::string& name = graph.values[value].name;
  const auto found = calibration.values.find(name);
  if (found == calibration.values.end()) {
    return MakeError(label::calibration_missing, "the calibration has no range for value '" + name + "'");
  }
  return found->second;
}

}  // namespace tally::quant
