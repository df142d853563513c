// Folds constant factors into the layers beside them, where they cost nothing.
//
//   ASSIGN_OR_RETURN(graph, FoldFactors(graph));
//
//   c * (a b), (c * a) b, a (c * b)    MatMul with a factor, c a positive number
//   c * (W x + bias)                   Conv, ConvTranspose or Dense with other weights, c a number, or a
//                                      list along the channels
//
// as exporters write the scale of attention and layer scale. Operators that only move elements may be
// between a factor and the MatMul that reads it, and a Reshape between a linear operator and its factors. A
// value in between that something else reads, or that is an output, stays and keeps its factor. Codes of a
// file stay as they are.
#pragma once

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// `graph` has passed Verify, and so has the result. Errors: those of GraphBuilder.
absl::StatusOr<Graph> FoldFactors(const Graph& graph);

}  // namespace tally::quant
