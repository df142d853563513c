// Finds the masks in front of softmaxes, which exporters write as sums with -10000 or the least float, or as
// choices between the scores and such a number, and makes each of them flags that say what is hidden. So the
// grid of the scores is theirs alone, and what is hidden has probability 0.
//
//   ASSIGN_OR_RETURN(graph, RecognizeMasks(graph));
//
//   softmax(scores + (1 - float(mask)) * -10000)          softmax(masked(scores, mask == 0))
//   softmax(where(mask, scores, -inf))
//   softmax(max(where(causal, scores, least) + padding, least))
//
// Scores are taken to be far from 1000 in magnitude, so that none undoes what hides it; where all of a row is
// hidden, each of its elements gets the same probability.
//
// An integer input that a mask is made of is a flag from then on: it takes 0 and 1. Other floats that are
// computed of flags alone become one lookup of their exact values.
#pragma once

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// `graph` has passed Verify, and so has the result. Errors: those of GraphBuilder.
absl::StatusOr<Graph> RecognizeMasks(const Graph& graph);

}  // namespace tally::quant
