// One float definition per operator, for EvaluateNode; operands and shapes fit, as Verify has proven.
//
// Every sum runs in double, in one documented order. A product of two floats is exact in double, so neither
// fused multiply-add nor vector width changes a result; only Softmax's exp can differ between math libraries.
#pragma once

#include <span>

#include "quant/graph/op.h"
#include "quant/graph/tensor.h"

namespace tally::quant {

using Operands = std::span<const Tensor* const>;

// evaluate_conv2d.cc
Tensor Evaluate(const Conv2d& op, Operands operands, const Shape& shape);
// evaluate_linear.cc
Tensor Evaluate(const Dense& op, Operands operands, const Shape& shape);
Tensor Evaluate(const MatMul& op, Operands operands, const Shape& shape);
// evaluate_pooling.cc
Tensor Evaluate(const MaxPool2d& op, Operands operands, const Shape& shape);
Tensor Evaluate(const AveragePool2d& op, Operands operands, const Shape& shape);
Tensor Evaluate(const GlobalAveragePool& op, Operands operands, const Shape& shape);
// evaluate_elementwise.cc
Tensor Evaluate(const Add& op, Operands operands, const Shape& shape);
Tensor Evaluate(const Relu& op, Operands operands, const Shape& shape);
Tensor Evaluate(const Clip& op, Operands operands, const Shape& shape);
Tensor Evaluate(const BatchNorm& op, Operands operands, const Shape& shape);
// evaluate_reduction.cc
Tensor Evaluate(const Softmax& op, Operands operands, const Shape& shape);
Tensor Evaluate(const ArgMax& op, Operands operands, const Shape& shape);
// evaluate_layout.cc
Tensor Evaluate(const Reshape& op, Operands operands, const Shape& shape);
Tensor Evaluate(const Transpose& op, Operands operands, const Shape& shape);
Tensor Evaluate(const Concat& op, Operands operands, const Shape& shape);
Tensor Evaluate(const Constant& op, Operands operands, const Shape& shape);

inline const FloatTensor& Float(const Tensor* operand) { return std::get<FloatTensor>(*operand); }

inline FloatTensor ZeroTensor(const Shape& shape) {
  return {shape, std::vector<float>(static_cast<size_t>(NumElements(shape)))};
}

}  // namespace tally::quant
