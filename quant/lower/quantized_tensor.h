// Whole tensors between reals and the integers of a grid.
#pragma once

#include <span>
#include <vector>

#include "base/tensor.h"
#include "ops/tensor_type.h"
#include "quant/graph/tensor.h"
#include "quant/lower/quantized_type.h"

namespace tally::quant {

// The integers nearest to `reals`, one for each element of `type`, as QuantizedType::Quantize finds them in
// type's interval. `reals` are finite.
tally::Tensor QuantizeTensor(std::span<const float> reals, QuantizedType grid, const TensorType& type);

// Each element at the real of its code.
void RoundToGrid(const QuantizedType& grid, FloatTensor& tensor);

// What integers stand for.
std::vector<double> DequantizeTensor(const TensorView& codes, const QuantizedType& grid);

}  // namespace tally::quant
