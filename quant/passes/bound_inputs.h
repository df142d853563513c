// Finds what integer inputs may hold: places of the axis that a Gather chooses from with them.
//
//   ASSIGN_OR_RETURN(graph, BoundInputs(graph));  // ids of a vocabulary of 30,522 words: [0, 30521]
//
// ONNX lets an index count from the back; samples and ids that users have never do, and one that does is
// refused.
#pragma once

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// `graph` has passed Verify, and so has the result; nodes and values are the same.
absl::StatusOr<Graph> BoundInputs(const Graph& graph);

}  // namespace tally::quant
