// Finds activations that exporters write out, so that each is one table.
//
//   ASSIGN_OR_RETURN(graph, RecognizeActivations(graph));
//
//   1 / (1 + exp(-x))                                   sigmoid
//   x sigmoid(x), x / (1 + exp(-x))                     silu
//   x sigmoid(1.702 x)                                  gelu_sigmoid
//   x tanh(softplus(x))                                 mish
//   clip(x + o, 0, h) / h                               hard_sigmoid with alpha 1 / h, beta o / h
//   x clip(x + o, 0, h) / h                             hard_swish with the same
//   x hard_sigmoid(x)                                   hard_swish
//   x (1 + erf(x / sqrt 2)) / 2                         gelu
//   x (1 - erf(-x / sqrt 2)) / 2                        gelu
//   x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2   gelu_tanh
//   -clip(-x, l, h)                                     clip(x, -h, -l)
//
// The factors of a product may stand in any order and have any parentheses. A value in between that something
// else reads, or that is an output, stays and keeps its activation as it is. Constants may be off by the
// rounding of floats.
#pragma once

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// `graph` has passed Verify, and so has the result. Errors: those of GraphBuilder.
absl::StatusOr<Graph> RecognizeActivations(const Graph& graph);

}  // namespace tally::quant
