// Which activations disappear into the requantization of the node before them.
//
// A Relu or Clip that is the only reader of a node that rescales its result anyway costs nothing: its bounds
// become the clamp of that rescale, and the grid of the result is chosen for the range after it.
#pragma once

#include <vector>

#include "quant/graph/graph.h"

namespace tally::quant {

struct Fusion {
  ValueId output = 0;  // the value that the node publishes: its result, or the last fused activation's
  Bounds bounds = {};
  bool absorbed = false;  // this node is an activation that an earlier node publishes
};

// One for each node of `graph`.
std::vector<Fusion> FuseActivations(const Graph& graph);

}  // namespace tally::quant
