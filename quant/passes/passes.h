// The rewritings of a float graph before it is calibrated, in order.
//
//   ASSIGN_OR_RETURN(graph, RunPasses(std::move(graph), {}));
//   ASSIGN_OR_RETURN(graph, RunPasses(std::move(graph), {"fold_batch_norm"}));  // all but one
//
// Each pass leaves what the graph computes as it was, up to the rounding of floats; values that remain keep
// their names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

struct GraphPass {
  std::string_view name;
  std::string_view what;  // it does, for people
  absl::StatusOr<Graph> (*run)(const Graph& graph);
};

// In the order in which they run.
std::span<const GraphPass> AllPasses();

// All but those that are named in `without`. `graph` has passed Verify, and so has the result.
// Errors: pass_unknown, for a name that no pass has; those of the passes.
absl::StatusOr<Graph> RunPasses(Graph graph, const std::vector<std::string>& without);

}  // namespace tally::quant
