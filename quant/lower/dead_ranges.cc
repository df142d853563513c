#include "quant/lower/dead_ranges.h"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

namespace tally::quant {
namespace {

double Magnitude(const Range& range) {
  return std::max(std::fabs(double{range.min}), std::fabs(double{range.max}));
}

// The largest sum of magnitudes over what one result reads: all but `kept` of the weight's axes are summed.
double LargestSum(const FloatTensor& weight, size_t kept) {
  std::vector<double> sums(static_cast<size_t>(weight.shape[kept]), 0);
  int64_t inner = 1;
  for (size_t axis = kept + 1; axis < weight.shape.size(); ++axis) inner *= weight.shape[axis];
  for (size_t i = 0; i < weight.data.size(); ++i) {
    const int64_t channel = static_cast<int64_t>(i) / inner % weight.shape[kept];
    sums[static_cast<size_t>(channel)] += std::fabs(double{weight.data[i]});
  }
  return *std::ranges::max_element(sums);
}

// By how much a product with constant weights can exceed what it reads; 1 for all else.
double GainOf(const Graph& graph, const Node& node) {
  if (node.operands.size() < 2) return 1;
  const Tensor* constant = ConstantOf(graph, node.operands[1]);
  const auto* weight = constant == nullptr ? nullptr : std::get_if<FloatTensor>(constant);
  if (weight == nullptr || weight->shape.size() < 2) return 1;
  if (std::holds_alternative<Conv>(node.op) || std::holds_alternative<Dense>(node.op)) {
    return LargestSum(*weight, 0);
  }
  if (std::holds_alternative<MatMul>(node.op)) return LargestSum(*weight, weight->shape.size() - 1);
  if (std::holds_alternative<ConvTranspose>(node.op)) return LargestSum(*weight, 1);
  return 1;
}

}  // namespace

Calibration WithLiveRanges(const Graph& graph, Calibration calibration) {
  const auto magnitude_of = [&](ValueId id) -> double {
    if (graph.values[id].type.element != ElementType::kFloat32) return 0;
    const absl::StatusOr<Range> range = RangeOf(calibration, graph, id);
    return range.ok() ? Magnitude(*range) : 0;
  };
  for (const Node& node : graph.nodes) {
    const auto seen = calibration.values.find(graph.values[node.result].name);
    if (seen == calibration.values.end() || Magnitude(seen->second) != 0) continue;
    if (graph.values[node.result].type.element != ElementType::kFloat32) continue;
    double bound = 0;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const double gain = i == 0 ? GainOf(graph, node) : 1;
      bound = std::max(bound, gain * magnitude_of(node.operands[i]));
    }
    const float reach = static_cast<float>(bound > 0 ? std::min(bound, 0x1p100) : 1);
    seen->second.min = -reach;
    seen->second.max = reach;
  }
  return calibration;
}

}  // namespace tally::quant
