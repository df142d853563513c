// Small models in which operators of every family occur, to be damaged: by tests of laws, and as seeds of
// fuzzing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {

// A network of convolutions, pooling and products for images [?, 2, 6, 6]. Opset 7 or later.
ModelBuilder ImageModel(int64_t opset);

struct SampleModel {
  std::string name;
  ModelBuilder model;
};

// That network, and others: each imports, and takes less than 4 kB.
std::vector<SampleModel> SampleModels();

}  // namespace tally::onnx
