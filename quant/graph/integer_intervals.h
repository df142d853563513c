// The ranges of a graph's integers, from those of its inputs.
//
//   const auto intervals = IntegerIntervals(graph, IntervalsOfInputs(graph));
//   intervals[ids] == Interval{0, 30521};
#pragma once

#include <optional>
#include <vector>

#include "base/interval.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// By value; nothing of floats, and where nothing is known.
using Intervals = std::vector<std::optional<Interval>>;

// Those that the graph itself says.
Intervals IntervalsOfInputs(const Graph& graph);

// Those of all integers. `intervals` begins with those of the inputs.
Intervals IntegerIntervals(const Graph& graph, Intervals intervals);

}  // namespace tally::quant
