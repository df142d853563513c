// Weights and inputs that a script for ONNX Runtime draws alike.
#pragma once

#include "quant/tensor/tensor.h"

namespace tally::onnx {

// Quarters in [-1.25, 1.25], another row of them for each seed.
inline quant::FloatTensor Drawn(const quant::Shape& shape, int64_t seed) {
  quant::FloatTensor tensor{shape, {}};
  for (int64_t i = 0; i < quant::NumElements(shape); ++i) {
    tensor.data.push_back(static_cast<float>((i * 7 + seed * 3) % 11 - 5) / 4);
  }
  return tensor;
}

}  // namespace tally::onnx
