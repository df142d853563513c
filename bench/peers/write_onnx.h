// The same work as a quantized ONNX model, unsigned activations and signed weights, from the same weights and
// gains.
//
// Codes of u8 are those of the module plus 128. Networks keep ONNX's layout, as their modules do. A single
// layer runs several times inside a Loop, because a call through node costs more than the layer, and a
// convolution there reads and writes channels last, as its module does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/models/works.h"

namespace tally::bench {

struct OnnxWork {
  std::string model;          // the bytes of a ModelProto; its input is "x", its output "y"
  std::vector<int64_t> dims;  // x's, u8
  int repetitions = 1;        // for the work in one run of the model
};

// Error bench_peer: the work has no such model.
absl::StatusOr<OnnxWork> WriteOnnx(const Work& work);

}  // namespace tally::bench
