// Adds constants to what linear layers add already: some formats write a layer as a product and a sum.
//
//   ASSIGN_OR_RETURN(graph, FoldBias(graph));
//
//   reshape(dense(x, w)) + b        reshape(dense(x, w, b)), one rounding where there were two
//   conv(x, w) + b                  conv(x, w, b), where b has one number for each channel, or one for all
//
// A product that something else reads, or that is an output, stays.
#pragma once

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// `graph` has passed Verify, and so has the result. Errors: those of GraphBuilder.
absl::StatusOr<Graph> FoldBias(const Graph& graph);

}  // namespace tally::quant
