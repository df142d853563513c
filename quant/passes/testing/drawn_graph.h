// Float graphs that nobody wrote, for laws that hold of every graph.
//
//   const Graph graph = DrawnGraph(seed);
//   const std::vector<FloatTensor> inputs = DrawnInputs(graph, seed);
//
// They are made of single operators and of the compositions that exporters write, with any value as an
// operand: values are read once, often or by nobody, outputs may be inner values, and node 0 is anything.
#pragma once

#include <cstdint>
#include <vector>

#include "quant/graph/graph.h"

namespace tally::quant {

// 6 to 30 nodes and a few inputs, floats and integers from 0 to 1 or to 3. One seed gives one graph (another
// one with another compiler, which may evaluate arguments in another order).
Graph DrawnGraph(uint32_t seed);

// Inputs for a run: floats within [-2, 2], integers within their interval.
std::vector<FloatTensor> DrawnInputs(const Graph& graph, uint32_t seed);

}  // namespace tally::quant
