// ncnn models: a .param with the layers, and a .bin with their weights.
//
//   ASSIGN_OR_RETURN(const quant::Graph graph, ImportNcnn({.param = param, .weights = bin}, given));
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "frontends/graph/interface.h"
#include "frontends/graph/report.h"
#include "quant/graph/graph.h"

namespace tally::ncnn {

struct NcnnFiles {
  std::span<const uint8_t> param, weights;
};

// By its magic, as text or binary.
bool IsNcnn(std::span<const uint8_t> param);

// The graph, whose values have a batch of 1 in front of ncnn's axes; its outputs are the blobs that no layer
// reads. Errors: model_malformed, model_open_dimension, model_shape, model_unsupported_*, model_too_large,
// those of the graph.
absl::StatusOr<quant::Graph> ImportNcnn(const NcnnFiles& files, const frontend::GivenInputs& given);

// The layers of the file that are imported. Errors: those of the .param as a whole.
absl::StatusOr<frontend::ModelReport> CheckNcnn(const NcnnFiles& files, const frontend::GivenInputs& given);

}  // namespace tally::ncnn
