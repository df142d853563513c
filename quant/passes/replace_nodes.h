// A graph with some of its nodes replaced, for passes that let one node do the work of several.
//
//   Replacements replacements;
//   replacements[n] = {Unary{RecipeFunction::kSilu}, {x}};
//   ASSIGN_OR_RETURN(graph, ReplaceNodes(graph, replacements));
//
// The new node has the result and the place of the old one. Nodes that no output needs go. Values that remain
// keep their names.
#pragma once

#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

struct Replacement {
  Op op;
  std::vector<ValueId> operands;            // constants, or produced before the node that is replaced
  std::vector<FloatTensor> constants = {};  // new ones, further operands
};
using Replacements = std::map<size_t, Replacement>;  // by node

// `graph` has passed Verify, and so has the result. Errors: those of GraphBuilder.
absl::StatusOr<Graph> ReplaceNodes(const Graph& graph, const Replacements& replacements);

}  // namespace tally::quant
