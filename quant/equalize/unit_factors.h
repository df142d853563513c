// Places for factors of channels where a network has none.
//
//   ASSIGN_OR_RETURN(graph, WithUnitFactors(graph, [](const std::string&) { return true; }));
//   FindChannelGroups(graph);   // has "silu_scaled" too
//
// A function that is not homogeneous, such as SiLU or a clip, ends a group of channels: its result has one
// grid for all of them. Where depthwise layers alone read it, a product by ones for each channel takes
// factors that their weights undo for nothing, as those have a scale for each channel.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// Adds a product by ones after each such value, with the name of the value and "_scaled", where that name
// is free and `wants` it.
absl::StatusOr<Graph> WithUnitFactors(const Graph& graph,
                                      const std::function<bool(const std::string&)>& wants);

}  // namespace tally::quant
