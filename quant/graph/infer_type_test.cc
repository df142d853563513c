#include "quant/graph/infer_type.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

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

template <typename Pool>
Pool MakePool(Extents kernel, Extents stride, Pads pad) {
  Pool pool;
  pool.kernel = kernel;
  pool.stride = stride;
  pool.pad = pad;
  return pool;
}

template <typename Pool>
void ExpectPoolRules() {
  const Shape x = {1, 2, 7, 7};
  EXPECT_EQ(InferFloatOp(MakePool<Pool>({3, 2}, {2, 2}, {1, 0, 1, 1}), {x}), "float32[1, 2, 4, 4]");
  EXPECT_EQ(InferFloatOp(MakePool<Pool>({3, 3}, {1, 1}, {}), {{2, 7, 7}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(MakePool<Pool>({8, 3}, {1, 1}, {}), {x}), "graph_shape");
  EXPECT_EQ(InferFloatOp(MakePool<Pool>({0, 3}, {1, 1}, {}), {x}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(MakePool<Pool>({3, 3}, {1, 0}, {}), {x}), "graph_attribute");
  for (const Pads& pad : {Pads{2, 0, 0, 0}, Pads{0, 3, 0, 0}, Pads{0, 0, 2, 0}, Pads{0, 0, 0, 3}}) {
    EXPECT_EQ(InferFloatOp(MakePool<Pool>({2, 3}, {1, 1}, pad), {x}), "graph_attribute");
  }
}

TEST(InferType, Pools) {
  ExpectPoolRules<MaxPool>();
  ExpectPoolRules<AveragePool>();
  EXPECT_EQ(InferFloatOp(GlobalAveragePool{}, {{2, 3, 4, 5}}), "float32[2, 3, 1, 1]");
  EXPECT_EQ(InferFloatOp(GlobalAveragePool{}, {{2, 3, 4}}), "graph_shape");
}

TEST(InferType, Reductions) {
  EXPECT_EQ(InferFloatOp(Softmax{1}, {{2, 3}}), "float32[2, 3]");
  EXPECT_EQ(InferFloatOp(Softmax{2}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Softmax{-1}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(ArgExtreme{1, true}, {{2, 3}}), "int64[2, 1]");
  EXPECT_EQ(InferFloatOp(ArgExtreme{0, false}, {{2, 3}}), "int64[3]");
  EXPECT_EQ(InferFloatOp(ArgExtreme{2, false}, {{2, 3}}), "graph_attribute");
}

template <typename Reduce>
void ExpectReductionRules() {
  EXPECT_EQ(InferFloatOp(Reduce{{0, 2}, true}, {{2, 3, 4}}), "float32[1, 3, 1]");
  EXPECT_EQ(InferFloatOp(Reduce{{0, 2}, false}, {{2, 3, 4}}), "float32[3]");
  EXPECT_EQ(InferFloatOp(Reduce{{0, 1}, false}, {{2, 3}}), "float32[]");
  for (const std::vector<int64_t>& axes : std::vector<std::vector<int64_t>>{{}, {-1}, {2}, {1, 1}, {1, 0}}) {
    EXPECT_EQ(InferFloatOp(Reduce{axes, true}, {{2, 3}}), "graph_attribute");
  }
}

TEST(InferType, ReductionsOverAxesThatAscend) {
  ExpectReductionRules<ReduceSum>();
  ExpectReductionRules<ReduceExtreme>();
}

template <typename Norm>
void ExpectFeatureNormRules() {
  EXPECT_EQ(InferFloatOp(Norm{{1}}, {{2, 3}}), "float32[2, 3]");
  EXPECT_EQ(InferFloatOp(Norm{{0, 2}}, {{2, 3, 4}, {3, 1}, {}}), "float32[2, 3, 4]");
  EXPECT_EQ(InferFloatOp(Norm{{1}}, {{2, 3}, {2}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(Norm{{1}}, {{1, 3}, {3}, {2, 3}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(Norm{{2}}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Norm{{}}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Norm{{1}, -1}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Norm{{1}, std::nanf("")}, {{2, 3}}), "graph_attribute");
}

TEST(InferType, Norms) {
  ExpectFeatureNormRules<LayerNorm>();
  ExpectFeatureNormRules<RmsNorm>();
  EXPECT_EQ(InferFloatOp(LogSoftmax{1}, {{2, 3}}), "float32[2, 3]");
  EXPECT_EQ(InferFloatOp(LogSoftmax{2}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(LocalResponseNorm{5}, {{2, 3}}), "float32[2, 3]");
  EXPECT_EQ(InferFloatOp(LocalResponseNorm{5}, {{2}}), "graph_shape");
  const float nan = std::nanf("");
  for (const LocalResponseNorm& bad :
       {LocalResponseNorm{0}, LocalResponseNorm{4097}, LocalResponseNorm{1, -1}, LocalResponseNorm{1, nan},
        LocalResponseNorm{1, 1, -1}, LocalResponseNorm{1, 1, 64}, LocalResponseNorm{1, 1, nan},
        LocalResponseNorm{1, 1, 1, 0}, LocalResponseNorm{1, 1, 1, nan}}) {
    EXPECT_EQ(InferFloatOp(bad, {{2, 3}}), "graph_attribute");
  }
}

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
