// The float form of a quantized work as an ONNX model: for peers whose floats are their best form.
#pragma once

#include "bench/peers/write_onnx.h"

namespace tally::bench {

// Error bench_peer: the work is no convolutional network.
absl::StatusOr<OnnxWork> WriteFloatOnnx(const Work& work);

}  // namespace tally::bench
