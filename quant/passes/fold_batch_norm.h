// Removes batch normalization, so that nothing downstream knows it.
//
//   ASSIGN_OR_RETURN(graph, FoldBatchNorm(graph));
//
// A BatchNorm is y = factor x + offset per channel. After a Conv, ConvTranspose or Dense whose only
// reader it is, be it through a Reshape that leaves the channels where they are (1-D convolutions), the
// factors go into the weights and the offsets into the bias, and that node takes over the BatchNorm's name
// and place. Any other becomes a depthwise 1x1 Conv (between reshapes, where x is not of rank 4). Factors
// are computed in double.
//
// `graph` has passed Verify. Values that remain keep their names; constants that nothing reads any more go.
//
// Errors: fold_batch_norm_variance        variance + epsilon is not positive
//         fold_batch_norm_overflow        a folded weight or bias does not fit float32
//         graph_values, graph_attribute   the new nodes exceed a limit of the graph
#pragma once

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

absl::StatusOr<Graph> FoldBatchNorm(const Graph& graph);

}  // namespace tally::quant
