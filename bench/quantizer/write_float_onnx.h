// A network of bench/models as the float ONNX file that a user would have: what its module computes, without
// roundings.
//
// A code c of a tensor stands for c - zero steps of it, which are chosen such that additions have no factors,
// as in the networks that exporters write.
#pragma once

#include <string>

#include "bench/models/cnn.h"

namespace tally::bench {

// The bytes of a ModelProto; its input is "image", its output "result".
std::string WriteFloatOnnx(const Cnn& net);

}  // namespace tally::bench
