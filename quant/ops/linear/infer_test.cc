// The types of the results of family linear, and the refusals.
#include <gtest/gtest.h>

#include "quant/graph/infer_type.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

Conv MakeConv(Extents stride, Extents dilation, Pads pad, int64_t groups) {
  return {stride, dilation, pad, groups};
}

TEST(InferType, Conv2dCountsWindows) {
  EXPECT_EQ(InferFloatOp(Conv{}, {{1, 3, 8, 8}, {16, 3, 3, 3}}), "float32[1, 16, 6, 6]");
  EXPECT_EQ(InferFloatOp(MakeConv({2, 3}, {1, 1}, {1, 0, 2, 1}, 1), {{2, 3, 8, 9}, {4, 3, 3, 2}, {4}}),
            "float32[2, 4, 5, 3]");
  EXPECT_EQ(InferFloatOp(MakeConv({1, 1}, {2, 3}, {}, 1), {{1, 1, 8, 8}, {1, 1, 3, 3}}),
            "float32[1, 1, 4, 2]");
  EXPECT_EQ(InferFloatOp(MakeConv({1, 1}, {1, 1}, {}, 4), {{1, 4, 5, 5}, {8, 1, 1, 1}}),
            "float32[1, 8, 5, 5]");
}

TEST(InferType, Conv2dRefusals) {
  const Shape x = {1, 4, 8, 8};
  EXPECT_EQ(InferFloatOp(Conv{}, {{4, 8, 8}, {4, 4, 3, 3}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(Conv{}, {x, {4, 4, 3}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(Conv{}, {x, {4, 3, 3, 3}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(Conv{}, {x, {4, 4, 9, 1}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(Conv{}, {x, {4, 4, 1, 9}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(Conv{}, {x, {4, 4, 3, 3}, {3}}), "graph_shape");
  for (const int64_t bad : {int64_t{0}, int64_t{-1}, kMaxAttribute + 1}) {
    EXPECT_EQ(InferFloatOp(MakeConv({bad, 1}, {1, 1}, {}, 1), {x, {4, 4, 1, 1}}), "graph_attribute");
    EXPECT_EQ(InferFloatOp(MakeConv({1, bad}, {1, 1}, {}, 1), {x, {4, 4, 1, 1}}), "graph_attribute");
    EXPECT_EQ(InferFloatOp(MakeConv({1, 1}, {bad, 1}, {}, 1), {x, {4, 4, 1, 1}}), "graph_attribute");
    EXPECT_EQ(InferFloatOp(MakeConv({1, 1}, {1, bad}, {}, 1), {x, {4, 4, 1, 1}}), "graph_attribute");
    EXPECT_EQ(InferFloatOp(MakeConv({1, 1}, {1, 1}, {}, bad), {x, {4, 4, 1, 1}}), "graph_attribute");
  }
  for (const Pads& pad :
       {Pads{-1, 0, 0, 0}, Pads{0, -1, 0, 0}, Pads{0, 0, -1, 0}, Pads{0, 0, 0, kMaxAttribute + 1}}) {
    EXPECT_EQ(InferFloatOp(MakeConv({1, 1}, {1, 1}, pad, 1), {x, {4, 4, 1, 1}}), "graph_attribute");
  }
  EXPECT_EQ(InferFloatOp(MakeConv({1, 1}, {1, 1}, {}, 3), {x, {3, 1, 1, 1}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(MakeConv({1, 1}, {1, 1}, {}, 4), {x, {6, 1, 1, 1}}), "graph_attribute");
  const int64_t big = kMaxAttribute;
  EXPECT_EQ(InferFloatOp(MakeConv({1, 1}, {1, 1}, {big, big, big, big}, 1), {x, {4, 4, 1, 1}}), "graph_size");
}

TEST(InferType, DenseAndMatMul) {
  EXPECT_EQ(InferFloatOp(Dense{}, {{2, 5}, {3, 5}, {3}}), "float32[2, 3]");
  EXPECT_EQ(InferFloatOp(Dense{}, {{2, 5}, {3, 4}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(Dense{}, {{1, 2, 5}, {3, 5}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(Dense{}, {{2, 5}, {3, 5}, {1, 3}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(MatMul{}, {{2, 5}, {5, 3}}), "float32[2, 3]");
  EXPECT_EQ(InferFloatOp(MatMul{0}, {{2, 5}, {5, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(MatMul{}, {{7, 1, 2, 5}, {4, 5, 3}}), "float32[7, 4, 2, 3]");
  EXPECT_EQ(InferFloatOp(MatMul{}, {{2, 5}, {4, 3}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(MatMul{}, {{3, 2, 5}, {4, 5, 3}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(MatMul{}, {{5}, {5, 3}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(MatMul{}, {{1 << 20, 1}, {1, 1 << 20}}), "graph_size");
}

}  // namespace
}  // namespace tally::quant
