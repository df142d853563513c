// The types of the results of family normalization, and the refusals.
#include <gtest/gtest.h>

#include "quant/graph/infer_type.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

TEST(InferType, Reductions) {
  EXPECT_EQ(InferFloatOp(Softmax{1}, {{2, 3}}), "float32[2, 3]");
  EXPECT_EQ(InferFloatOp(Softmax{2}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Softmax{-1}, {{2, 3}}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(ArgExtreme{1, true}, {{2, 3}}), "int64[2, 1]");
  EXPECT_EQ(InferFloatOp(ArgExtreme{0, false}, {{2, 3}}), "int64[3]");
  EXPECT_EQ(InferFloatOp(ArgExtreme{2, false}, {{2, 3}}), "graph_attribute");
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

}  // namespace
}  // namespace tally::quant
