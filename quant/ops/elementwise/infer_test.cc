// The types of the results of family elementwise, and the refusals.
#include <gtest/gtest.h>

#include <limits>

#include "quant/graph/infer_type.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

TEST(InferType, Elementwise) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(InferFloatOp(Add{}, {{2, 1, 4}, {3, 1}}), "float32[2, 3, 4]");
  EXPECT_EQ(InferFloatOp(Add{}, {{}, {2}}), "float32[2]");
  EXPECT_EQ(InferFloatOp(Add{}, {{2, 3}, {2}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(Relu{}, {{2, 3}}), "float32[2, 3]");
  EXPECT_EQ(InferFloatOp(Clip{0, infinity}, {{2, 3}}), "float32[2, 3]");
  EXPECT_EQ(InferFloatOp(Clip{1, 0}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Clip{std::nanf(""), 0}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(BatchNorm{}, {{1, 2, 3}, {2}, {2}, {2}, {2}}), "float32[1, 2, 3]");
  EXPECT_EQ(InferFloatOp(BatchNorm{}, {{1, 2, 3}, {2}, {2}, {2}, {3}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(BatchNorm{}, {{2}, {2}, {2}, {2}, {2}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(BatchNorm{-1}, {{1, 2}, {2}, {2}, {2}, {2}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(BatchNorm{std::nanf("")}, {{1, 2}, {2}, {2}, {2}, {2}}), "graph_attribute");
}

TEST(InferType, PairsBroadcast) {
  for (const Op& op : {Op(Sub{}), Op(Mul{}), Op(Div{}), Op(Max{}), Op(Min{})}) {
    EXPECT_EQ(InferFloatOp(op, {{2, 1, 4}, {3, 1}}), "float32[2, 3, 4]");
    EXPECT_EQ(InferFloatOp(op, {{2, 3}, {2}}), "graph_shape");
  }
}

TEST(InferType, FunctionsOfOneValue) {
  const float nan = std::nanf("");
  EXPECT_EQ(InferFloatOp(Unary{RecipeFunction::kTanh}, {{2, 3}}), "float32[2, 3]");
  EXPECT_EQ(InferFloatOp(Unary{RecipeFunction::kTanh, 1}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Unary{RecipeFunction::kElu, 1, 1}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Unary{RecipeFunction::kElu, nan}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Unary{RecipeFunction::kSelu, 1, nan}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Unary{RecipeFunction::kCelu, 0}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Slopes{-1, 1}, {{2, 3}}), "float32[2, 3]");
  EXPECT_EQ(InferFloatOp(Slopes{nan, 1}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Slopes{1, nan}, {{2, 3}}), "graph_attribute");
}

TEST(InferType, GraphElementType_ArithmeticOnIntegersIsRefused) {
  const ValueType integers = {ElementType::kInt64, {4}};
  const ValueType floats = {ElementType::kFloat32, {4}};
  EXPECT_EQ(InferOp(Relu{}, {integers}), "graph_element_type");
  EXPECT_EQ(InferOp(Add{}, {floats, integers}), "graph_element_type");
  EXPECT_EQ(InferOp(Concat{0}, {floats, integers}), "graph_element_type");
}

TEST(InferType, GraphOperands_CountsAreChecked) {
  EXPECT_EQ(InferFloatOp(Relu{}, {{1}, {1}}), "graph_operands");
  EXPECT_EQ(InferFloatOp(Add{}, {{1}}), "graph_operands");
  EXPECT_EQ(InferFloatOp(Conv{}, {{1, 1, 1, 1}}), "graph_operands");
  EXPECT_EQ(InferOp(Concat{0}, {}), "graph_operands");
  EXPECT_EQ(InferFloatOp(BatchNorm{}, {{1, 1}, {1}, {1}, {1}}), "graph_operands");
}

}  // namespace
}  // namespace tally::quant
