// Finds grids that exporters write out: what torch's dynamo exporter makes of a fake quantization.
//
//   ASSIGN_OR_RETURN(graph, RecognizeGrids(graph));
//
//   scale * (clip(round(x / scale) + zero, low, high) - zero)     FakeQuantize
//
// A product with 1 / scale may be in the place of the division, and the zero point may be missing. Bounds and
// zero point are integers, of which the grid has at most 2^16. Values in between have no other reader. The
// grid rounds the quotient of the numbers, where a float product next to a tie may have rounded to the other
// side.
#pragma once

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// `graph` has passed Verify, and so has the result. Errors: those of GraphBuilder.
absl::StatusOr<Graph> RecognizeGrids(const Graph& graph);

}  // namespace tally::quant
