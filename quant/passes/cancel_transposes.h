// Moves transposes towards the outputs, through what computes element by element or along axes, until they
// meet others and cancel: what a network of channel-last layers is full of.
//
//   Relu(Transpose(x, p))                ->  Transpose(Relu(x), p)
//   Add(Transpose(x, p), Transpose(y, p)) ->  Transpose(Add(x, y), p)     constants are transposed the other way
//   Transpose(Transpose(x, p), inverse)  ->  x
//
// A transpose that only moves axes of one element is a Reshape. The result is the graph as it was unless
// fewer elements are moved: where a value is read in both orders, moving its transpose would double it.
#pragma once

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// `graph` has passed Verify, and so has the result. Every output holds the same bytes. Errors: those of
// GraphBuilder.
absl::StatusOr<Graph> CancelTransposes(const Graph& graph);

}  // namespace tally::quant
