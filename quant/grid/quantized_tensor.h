// Whole tensors between reals and the integers of a grid.
#pragma once

#include <span>
#include <vector>

#include "base/tensor.h"
#include "ops/tensor_type.h"
#include "quant/grid/quantized_type.h"
#include "quant/tensor/tensor.h"
#include "vm/valid_module.h"

namespace tally::quant {

// The integers nearest to `reals`, one for each element of `type`, as QuantizedType::Quantize finds them in
// type's interval. `reals` are finite.
tally::Tensor QuantizeTensor(std::span<const float> reals, QuantizedType grid, const TensorType& type);

// Each element at the real of its code.
void RoundToGrid(const QuantizedType& grid, FloatTensor& tensor);

// A result as the parameter of the next run: its integers where both have one grid (integers without one have
// scale 1), and else the codes of what they stand for. What is beyond the interval of a parameter with a grid
// becomes its end; of one without it stays as it is, which the engine refuses. Both have one shape.
tally::Tensor NextState(const ValidModule& module, size_t result, size_t parameter,
                        const tally::Tensor& codes);

// The reals that integers stand for.
std::vector<double> DequantizeTensor(const TensorView& codes, const QuantizedType& grid);

}  // namespace tally::quant
