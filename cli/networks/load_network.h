// A float network from a file of another framework, as the quantizer takes it.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "cli/networks/network_file.h"
#include "cli/notes.h"
#include "cli/summary.h"
#include "frontends/formats.h"
#include "quant/graph/graph.h"
#include "quant/passes/fold_inputs.h"

namespace tally::cli {

// The shapes that were given, and the folder in which tensors outside of the file are. Errors:
// option_syntax.
absl::StatusOr<frontend::ImportOptions> ImportOptionsOf(const NetworkFile& network);

// A model file, or that of a package, and its format. Errors: those of files, model_format,
// model_malformed.
struct LoadedModel {
  std::vector<uint8_t> bytes;
  const frontend::Format* format;
};
absl::StatusOr<LoadedModel> LoadModel(const std::string& path);

// A network that reads what its module is served.
struct ServedNetwork {
  quant::Graph graph;
  std::vector<quant::FoldedInput> inputs;  // those with an --input-grid, and those with a grid of the file
  Notes notes = {};                        // further facts from the file
  std::vector<Digest> sources = {};        // SHA-256 of each of the model's files

  std::vector<quant::InputFormat> formats() const;
  // How scale, mean and std of each input were applied.
  void Tell(Summary& summary) const;
};

// A model after the passes of quant/passes. Errors: option_syntax, input_name, model_*, lower_input, and
// what files, the model's format and the passes report.
absl::StatusOr<ServedNetwork> LoadNetwork(const NetworkFile& network, const ServedInputOptions& inputs);

}  // namespace tally::cli
