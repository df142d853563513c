// A float network from a file of another framework, as the quantizer takes it.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::cli {

// An ONNX file with batch normalization folded. `batch` stands for a first dimension that the file leaves open. Errors: those
// of files, onnx_*, fold_batch_norm_*.
absl::StatusOr<quant::Graph> LoadNetwork(const std::string& path, int64_t batch);

}  // namespace tally::cli
