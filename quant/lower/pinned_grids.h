// Grids that the file of a network says, so that nothing has to be calibrated for them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quant/graph/graph.h"
#include "quant/grid/input_format.h"
#include "quant/grid/quantized_type.h"
#include "quant/lower/fusion.h"

namespace tally::quant {

// By value: the grid of every FakeQuantize that reads it, directly or through operators that only move or
// choose elements, where all that read it agree and it is no output. Rounding onto that grid at once gives
// what rounding there later would.
std::vector<std::optional<QuantizedType>> PinnedGrids(const Graph& graph);

// That of a constant with codes and one scale.
std::optional<QuantizedType> GridOfCodes(const Graph& graph, ValueId constant);

// The values whose ranges lowering asks a calibration for, in their order. `inputs` as of LowerOptions.
std::vector<ValueId> ValuesToCalibrate(const Graph& graph, const std::vector<InputFormat>& inputs);

}  // namespace tally::quant
