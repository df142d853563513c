// Finds normalizations that exporters write out, so that each is one operator.
//
//   ASSIGN_OR_RETURN(graph, RecognizeNorms(graph));
//
//   d = x - mean(x),  d / sqrt(mean(d^2) + e) * scale + bias        LayerNorm; without a scale or a bias too
//   k = scale / sqrt(mean(d^2) + e),  x k + (bias - mean(x) k)      LayerNorm, as Keras writes it
//   x / sqrt(mean(x^2) + e) * scale                                 RmsNorm
//   x / max(sqrt(sum(x^2)), e)                                      RmsNorm, with 1 / sqrt(n) as its scale
//
// with d^2 as a power or a product, the division as one or as a product with the reciprocal. d may be
// computed twice; the variance may be mean(x^2) - mean(x)^2, bounded by 0, and statistics may come without
// their axes and be reshaped, as Flax writes them. A value in between that something else reads, or that is
// an output, stays and keeps its norm as it is. The bound e of a sum, which keeps zeros from being divided by
// 0, must be tiny, since the norm has none.
#pragma once

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// `graph` has passed Verify, and so has the result. Errors: those of GraphBuilder.
absl::StatusOr<Graph> RecognizeNorms(const Graph& graph);

}  // namespace tally::quant
