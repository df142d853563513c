// Suggests options for a model whose file leaves dimensions open, or has a mode among its inputs.
//
//   const Suggestion suggestion = SuggestOptions(model, import, report);
//   suggestion.options;  // {"--shape", "input=1,576", "--fix", "sr=16000"}
#pragma once

#include <string>
#include <vector>

#include "cli/networks/load_network.h"
#include "frontends/formats.h"
#include "frontends/graph/report.h"

namespace tally::cli {

struct Suggestion {
  std::vector<std::string> options;  // with the model's own names; empty where nothing is to be said
  bool imports = false;              // tried: with them the model imports
};

// `report` refuses the model, which was read with `given`. Sizes are guessed from names and ranks, and tried
// one after the other, a dozen at most, until the model imports.
Suggestion SuggestOptions(const LoadedModel& model, const frontend::ImportOptions& given,
                          const frontend::ModelReport& report);

}  // namespace tally::cli
