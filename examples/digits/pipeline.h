// From the committed float network to a valid integer module, in the steps that any producer takes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "quant/graph/graph.h"
#include "vm/valid_module.h"

namespace tally::digits {

struct Dataset {
  std::vector<Tensor> images;  // [1,1,8,8] in [0, 16]
  std::vector<int> labels;     // 0..9
};

struct Network {
  quant::Graph graph;          // batch normalization folded
  std::vector<uint8_t> bytes;  // the encoded module
  std::shared_ptr<const ValidModule> module;
};

// The held-out images under `folder`/data.
absl::StatusOr<Dataset> LoadHeldOut(const std::string& folder);

// Imports `folder`/digits.onnx, calibrates it on `folder`/data/calibration.npy, lowers, encodes, decodes and
// validates.
absl::StatusOr<Network> BuildNetwork(const std::string& folder);

// The class that the float network predicts for `image`.
absl::StatusOr<int> PredictFloat(const quant::Graph& graph, const TensorView& image);

// The largest of the ten scores, the first one of equals.
int LargestScore(const TensorView& scores);

}  // namespace tally::digits
