// One type rule per operator; InferType has already checked the operand count and the element types.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "quant/graph/op.h"
#include "quant/graph/tensor.h"
#include "quant/labels.h"

namespace tally::quant {

using TypeResult = absl::StatusOr<ValueType>;
using OperandTypes = std::vector<ValueType>;

// infer_linear.cc
TypeResult Infer(const Dense& op, const OperandTypes& operands);
TypeResult Infer(const MatMul& op, const OperandTypes& operands);
// infer_window.cc
TypeResult Infer(const Conv2d& op, const OperandTypes& operands);
TypeResult Infer(const MaxPool2d& op, const OperandTypes& operands);
TypeResult Infer(const AveragePool2d& op, const OperandTypes& operands);
TypeResult Infer(const GlobalAveragePool& op, const OperandTypes& operands);
// infer_elementwise.cc
TypeResult Infer(const Add& op, const OperandTypes& operands);
TypeResult Infer(const Relu& op, const OperandTypes& operands);
TypeResult Infer(const Clip& op, const OperandTypes& operands);
TypeResult Infer(const BatchNorm& op, const OperandTypes& operands);
TypeResult Infer(const Softmax& op, const OperandTypes& operands);
TypeResult Infer(const ArgMax& op, const OperandTypes& operands);
// infer_layout.cc
TypeResult Infer(const Reshape& op, const OperandTypes& operands);
TypeResult Infer(const Transpose& op, const OperandTypes& operands);
TypeResult Infer(const Concat& op, const OperandTypes& operands);
TypeResult Infer(const Constant& op, const OperandTypes& operands);

// The NumPy broadcast of two shapes, or graph_shape.
absl::StatusOr<Shape> Broadcast(const Shape& a, const Shape& b);

// 0 <= axis < rank, or graph_attribute.
absl::Status CheckAxis(int64_t axis, size_t rank);

inline absl::Status BadShape(const std::string& message) { return MakeError(label::graph_shape, message); }
inline absl::Status BadAttribute(const std::string& message) {
  return MakeError(label::graph_attribute, message);
}

}  // namespace tally::quant
