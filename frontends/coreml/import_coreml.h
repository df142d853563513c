// Core ML models (.mlmodel) that are neural networks, and pipelines of them.
//
//   ASSIGN_OR_RETURN(const frontend::Network network, ImportCoreml(bytes, given));
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "frontends/graph/interface.h"
#include "frontends/graph/network.h"
#include "frontends/graph/report.h"

namespace tally::coreml {

// Inputs and outputs are called as the file calls them; the scores of a classifier have its labels. Errors:
// those of ReadModelFile (model_file.h); model_malformed, model_open_dimension, model_shape,
// model_unsupported_*, model_too_large, those of the graph.
absl::StatusOr<frontend::Network> ImportCoreml(std::span<const uint8_t> file,
                                               const frontend::GivenInputs& given);

// The layers of the file that are imported. Errors: those of ReadModelFile, and of a model that is no neural
// network.
absl::StatusOr<frontend::ModelReport> CheckCoreml(std::span<const uint8_t> file,
                                                  const frontend::GivenInputs& given);

}  // namespace tally::coreml
