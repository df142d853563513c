// One operator, run by itself.
//
//   EXPECT_EQ(EvaluateFloatOp(Relu{}, {FloatTensor{{2}, {-1, 1}}}), (std::vector<float>{0, 1}));
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "quant/graph/float_executor.h"
#include "quant/graph/infer_type.h"

namespace tally::quant {

// Short for operands of one operator.
inline FloatTensor F(Shape shape, std::vector<float> data) { return {std::move(shape), std::move(data)}; }
inline Int64Tensor I(Shape shape, std::vector<int64_t> data) { return {std::move(shape), std::move(data)}; }

// Its result, which has the type that InferType reports. `inner`: what EvaluateNode gives besides.
inline Tensor EvaluateOp(const Op& op, const std::vector<Tensor>& operands, FloatTensor* inner = nullptr) {
  std::vector<const Tensor*> pointers;
  std::vector<ValueType> types;
  for (const Tensor& operand : operands) {
    pointers.push_back(&operand);
    types.push_back(TypeOf(operand));
  }
  const auto type = InferType(op, types);
  EXPECT_TRUE(type.ok()) << type.status();
  Tensor result = EvaluateNode(op, pointers, *type, inner);
  EXPECT_EQ(TypeOf(result), *type);
  return result;
}

// The elements of a result of floats.
inline std::vector<float> EvaluateFloatOp(const Op& op, const std::vector<Tensor>& operands,
                                          FloatTensor* inner = nullptr) {
  return std::get<FloatTensor>(EvaluateOp(op, operands, inner)).data;
}

}  // namespace tally::quant
