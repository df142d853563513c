// The ranges that grids of 8 bits are made for, of those that calibration saw.
//
//   ASSIGN_OR_RETURN(types, AssignTypes(graph, fusions, ClipRanges(graph, calibration, ClipMethod::kMse), inputs));
#pragma once

#include <optional>
#include <vector>

#include "quant/calibrate/calibration.h"
#include "quant/calibrate/clip_range.h"
#include "quant/graph/graph.h"
#include "quant/grid/quantized_type.h"

namespace tally::quant {

// `calibration` with ranges narrowed by `method`: of floats that take 8 bits and have a histogram. Kept as
// they are: what takes 16 bits, as scores that a softmax or an argmax reads, results of the network, and
// states of recurrent layers do, since clipping would make the largest of them equal and the wider range
// costs a 256th of a step; integers, as ids, whose values mean something; and constants.
Calibration ClipRanges(const Graph& graph, const Calibration& calibration, ClipMethod method);

// By value: the grid of 8 bits on which products read it, of those that have 16 only because `calibration`
// names them (WidenedBy).
std::vector<std::optional<QuantizedType>> NarrowGrids(const Graph& graph, const Calibration& calibration,
                                                      ClipMethod method);

}  // namespace tally::quant
