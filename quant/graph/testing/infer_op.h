// The type of an operator's result, as text that a test compares.
//
//   EXPECT_EQ(InferOp(Masked{}, {FloatType({2, 3}), IntegerType({3})}), "float32[2, 3]");
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "quant/graph/infer_type.h"

namespace tally::quant {

inline ValueType FloatType(const Shape& shape) { return {ElementType::kFloat32, shape}; }
inline ValueType IntegerType(const Shape& shape) { return {ElementType::kInt64, shape}; }

// "float32[...]" or "int64[...]", or the label of the refusal.
inline std::string InferOp(const Op& op, const std::vector<ValueType>& operands) {
  const auto type = InferType(op, operands);
  return type.ok() ? ToString(*type) : ErrorLabel(type.status());
}

// The type of operands that are all float32.
inline std::string InferFloatOp(const Op& op, const std::vector<Shape>& shapes) {
  std::vector<ValueType> types;
  for (const Shape& shape : shapes) types.push_back(FloatType(shape));
  return InferOp(op, types);
}

}  // namespace tally::quant
