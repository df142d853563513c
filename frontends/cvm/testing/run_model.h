// The results of a model: imported, and run on every scalar engine and on the cpu engine.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "frontends/cvm/testing/model_writer.h"

namespace tally::cvm {

struct ModelResult {
  Dims dims;
  std::vector<int64_t> values;

  friend bool operator==(const ModelResult&, const ModelResult&) = default;
};

// Errors: those of ImportCvm, and Internal where engines differ.
absl::StatusOr<ModelResult> RunModel(const ModelWriter& model, const std::vector<int64_t>& data);

// The label that refuses the model, or "".
std::string ImportLabel(const ModelWriter& model);

}  // namespace tally::cvm
