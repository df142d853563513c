// Lowered modules against the float graph they came from: family normalization.
#include <gtest/gtest.h>

#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

TEST(LowerNormalization, LayerNormWithAndWithoutScaleAndBias) {
  const FloatTensor scale = Random({32}, 1, -1, 2), bias = Random({32}, 2);
  EXPECT_GT(Sqnr(OneNode(LayerNorm{{2}}, {{2, 5, 32}})), 38);
  EXPECT_GT(Sqnr(OneNode(LayerNorm{{2}}, {{2, 5, 32}}, {scale})), 38);
  EXPECT_GT(Sqnr(OneNode(LayerNorm{{2}}, {{2, 5, 32}}, {scale, bias})), 38);
  EXPECT_GT(Sqnr(OneNode(LayerNorm{{1, 2}}, {{2, 5, 32}}, {scale, bias})), 38);
}

TEST(LowerNormalization, OfChannelsAndOfAxesThatAreNotTheLast) {
  EXPECT_GT(Sqnr(OneNode(LayerNorm{{2, 3}}, {{2, 3, 6, 5}}, {Random({3, 1, 1}, 1), Random({3, 1, 1}, 2)})),
            38);
  EXPECT_GT(Sqnr(OneNode(LayerNorm{{0, 2, 3}, 0}, {{2, 3, 6, 5}})), 38);
  EXPECT_GT(Sqnr(OneNode(RmsNorm{{1}}, {{2, 16, 3}}, {Random({16, 1}, 1)})), 38);
}

TEST(LowerNormalization, AnEpsilonThatOutweighsTheVarianceIsKept) {
  EXPECT_GT(Sqnr(OneNode(LayerNorm{{1}, 1e-2f}, {{4, 16}}), {.low = -0.01, .high = 0.01}), 38);
  EXPECT_GT(Sqnr(OneNode(RmsNorm{{1}, 1e-2f}, {{4, 16}}), {.low = -0.01, .high = 0.01}), 38);
}

// Sums of 2^16 terms leave room for 15 bits of each.
TEST(LowerNormalization, LongRowsOfAWideOperandMoveToACoarserGrid) {
  GraphBuilder b("long");
  const ValueId x = *b.AddInput("x", {1, 2, 256, 256});
  const ValueId sum = *b.AddNode(Add{}, {x, x}, "sum", "sum");  // 16 bits, as it is read wide
  b.AddOutput(*b.AddNode(LayerNorm{{2, 3}}, {sum}, "y", "norm"));
  EXPECT_GT(Sqnr(*std::move(b).Build()), 38);
  GraphBuilder r("long");
  const ValueId v = *r.AddInput("x", {1, 2, 256, 256});
  const ValueId twice = *r.AddNode(Add{}, {v, v}, "sum", "sum");
  r.AddOutput(*r.AddNode(RmsNorm{{2, 3}}, {twice}, "y", "norm"));
  EXPECT_GT(Sqnr(*std::move(r).Build()), 38);
}

TEST(LowerNormalization, WhatDoesNotVaryGivesTheBias) {
  const Graph graph = OneNode(LayerNorm{{1}}, {{2, 8}}, {Random({8}, 1), Random({8}, 2)});
  EXPECT_GT(Sqnr(graph, {.low = 0, .high = 0}), 60);
  const Graph rms = OneNode(RmsNorm{{1}, 0}, {{2, 8}}, {Random({8}, 1), Random({8}, 2)});
  EXPECT_GT(Sqnr(rms, {.low = 0, .high = 0}), 60);
}

TEST(LowerNormalization, LogSoftmax) {
  EXPECT_GT(Sqnr(OneNode(LogSoftmax{1}, {{3, 10}})), 38);
  EXPECT_GT(Sqnr(OneNode(LogSoftmax{0}, {{100, 3}}), {.low = -20, .high = 20}), 38);
  EXPECT_EQ(MeasureLowered(OneNode(LogSoftmax{1}, {{3, 1}})).error.largest(), 0);
}

TEST(LowerNormalization, LocalResponseNorm) {
  EXPECT_GT(Sqnr(OneNode(LocalResponseNorm{5}, {{2, 8, 3, 3}})), 38);
  EXPECT_GT(Sqnr(OneNode(LocalResponseNorm{4, 2.0f, 0.5f, 0.1f}, {{1, 8, 3}})), 38);
  EXPECT_GT(Sqnr(OneNode(LocalResponseNorm{3, 0.5f, 0.71f, 2}, {{1, 2, 9}}), {.low = -100, .high = 250}), 38);
}

}  // namespace
}  // namespace tally::quant
