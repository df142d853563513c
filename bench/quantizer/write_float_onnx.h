// A network of bench/models as the float ONNX file that a user would have: what its module computes, without
// roundings.
//
// A code c of a tensor stands for c - zero steps of it, which are chosen such that additions have no factors,
// as in the networks that exporters write.
#pragma once

#include <string>

#include "bench/models/bert_layer.h"
#include "bench/models/cnn.h"

namespace tally::bench {

// The bytes of a ModelProto with one input and one output.
std::string WriteFloatOnnx(const Cnn& net);
std::string WriteFloatOnnx(const BertLayer& bert);

}  // namespace tally::bench
