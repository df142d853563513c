// The types of the results of family layout, and the refusals.
#include <gtest/gtest.h>

#include <vector>

#include "quant/graph/infer_type.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

TEST(InferType, LayoutMovesAnyElement) {
  EXPECT_EQ(InferFloatOp(Reshape{{3, 2}}, {{6}}), "float32[3, 2]");
  EXPECT_EQ(InferFloatOp(Reshape{{}}, {{1, 1}}), "float32[]");
  EXPECT_EQ(InferFloatOp(Reshape{{4}}, {{6}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(Reshape{{-2, -3}}, {{6}}), "graph_dimension");
  EXPECT_EQ(InferFloatOp(Transpose{{2, 0, 1}}, {{4, 5, 6}}), "float32[6, 4, 5]");
  EXPECT_EQ(InferFloatOp(Transpose{{0, 0}}, {{4, 5}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Transpose{{0}}, {{4, 5}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Transpose{{0, 2}}, {{4, 5}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Concat{1}, {{2, 3}, {2, 1}, {2, 5}}), "float32[2, 9]");
  EXPECT_EQ(InferFloatOp(Concat{1}, {{2, 3}, {1, 3}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(Concat{1}, {{2, 3}, {2, 3, 1}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(Concat{0}, {{}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Concat{0}, {{kMaxElements}, {kMaxElements}}), "graph_size");
  const ValueType integers = {ElementType::kInt64, {4}};
  EXPECT_EQ(InferOp(Reshape{{2, 2}}, std::vector<ValueType>{integers}), "int64[2, 2]");
  EXPECT_EQ(InferOp(Transpose{{0}}, std::vector<ValueType>{integers}), "int64[4]");
  EXPECT_EQ(InferOp(Concat{0}, {integers, integers}), "int64[8]");
}

}  // namespace
}  // namespace tally::quant
