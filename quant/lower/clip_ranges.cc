#include "quant/lower/clip_ranges.h"

#include <string>

#include "quant/grid/quantized_type.h"
#include "quant/lower/wide_values.h"

namespace tally::quant {

Calibration ClipRanges(const Graph& graph, const Calibration& calibration, ClipMethod method) {
  Calibration clipped = calibration;
  const std::vector<bool> wide = WideValues(graph, calibration);
  for (size_t id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    const auto histogram = calibration.histograms.find(value.name);
    const auto range = clipped.values.find(value.name);
    if (wide[id] || value.type.element != ElementType::kFloat32 ||
        histogram == calibration.histograms.end() || range == clipped.values.end()) {
      continue;
    }
    range->second = ClipRange(method, range->second, histogram->second, kActivationBits);
  }
  return clipped;
}

std::vector<std::optional<QuantizedType>> NarrowGrids(const Graph& graph, const Calibration& calibration,
                                                      ClipMethod method) {
  std::vector<std::optional<QuantizedType>> grids(graph.values.size());
  const std::vector<ValueId> widened = WidenedBy(graph, calibration);
  for (size_t id = 0; id < grids.size(); ++id) {
    if (widened[id] == kNoValue) continue;
    const std::string& name = graph.values[widened[id]].name;
    Range range = calibration.values.at(name);
    const auto histogram = calibration.histograms.find(name);
    if (histogram != calibration.histograms.end()) {
      range = ClipRange(method, range, histogram->second, kActivationBits);
    }
    grids[id] = ChooseAffine(range.min, range.max, kActivationBits);
  }
  return grids;
}

}  // namespace tally::quant
