// Which values of a graph take 16 bits.
#pragma once

#include <vector>

#include "quant/calibrate/calibration.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// By value: those that reach an output, or an operator that reads them wide, without being rescaled on the
// way but by one factor for all elements, as the scores of an attention are; and those that `calibration`
// names.
std::vector<bool> WideValues(const Graph& graph, const Calibration& calibration);

// By value: which of those that `calibration` names its codes are, as it is itself one, or what merely moved;
// else kNoValue.
constexpr ValueId kNoValue = -1;
std::vector<ValueId> WidenedBy(const Graph& graph, const Calibration& calibration);

}  // namespace tally::quant
