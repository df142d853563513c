#include "quant/passes/passes.h"

#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "quant/labels.h"
#include "quant/passes/bound_inputs.h"
#include "quant/passes/cancel_transposes.h"
#include "quant/passes/fold_batch_norm.h"
#include "quant/passes/fold_bias.h"
#include "quant/passes/fold_factors.h"
#include "quant/passes/recognize_activations.h"
#include "quant/passes/recognize_grids.h"
#include "quant/passes/recognize_masks.h"
#include "quant/passes/recognize_norms.h"

namespace tally::quant {
namespace {

constexpr GraphPass kPasses[] = {
    {"cancel_transposes", "transposes towards each other, until they cancel", CancelTransposes},
    {"fold_bias", "constants that are added after linear layers into them", FoldBias},
    {"fold_batch_norm", "batch normalization into the weights before it", FoldBatchNorm},
    {"fold_factors", "constant factors into weights and products of matrices", FoldFactors},
    {"recognize_activations", "activations that exporters write out into tables", RecognizeActivations},
    {"recognize_norms", "normalizations that exporters write out into one operator", RecognizeNorms},
    {"recognize_grids", "grids that exporters write out into one operator", RecognizeGrids},
    {"bound_inputs", "ids to the places of the axis that they choose from", BoundInputs},
    {"recognize_masks", "masks in front of softmaxes into flags", RecognizeMasks},
};

}  // namespace

std::span<const GraphPass> AllPasses() { return kPasses; }

absl::StatusOr<Graph> RunPasses(Graph graph, const std::vector<std::string>& without) {
  for (const std::string& name : without) {
    if (std::ranges::find(kPasses, name, &GraphPass::name) == std::end(kPasses)) {
      return MakeError(label::pass_unknown, absl::StrCat("no pass is called '", name, "'"));
    }
  }
  for (const GraphPass& pass : kPasses) {
    if (std::ranges::find(without, pass.name) != without.end()) continue;
    ASSIGN_OR_RETURN(graph, pass.run(graph));
  }
  return graph;
}

}  // namespace tally::quant
