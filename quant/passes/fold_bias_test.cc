#include "quant/passes/fold_bias.h"

#include <gtest/gtest.h>

#include <string>

#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"
#include "quant/graph/testing/ops_of.h"

namespace tally::quant {
namespace {

struct Style {
  bool in_sequence = true;  // [1, 2, 3] through [2, 3]
  bool bias_first = false;
  bool shows_product = false;
  FloatTensor bias = {{2}, {10, 20}};
};

Graph Layer(const Style& style) {
  GraphBuilder b("layer");
  ValueId x = *b.AddInput("x", style.in_sequence ? Shape{1, 2, 3} : Shape{2, 3});
  if (style.in_sequence) x = *b.AddNode(Reshape{{2, 3}}, {x}, "rows", "node");
  const ValueId w = *b.AddConstant("w", FloatTensor{{2, 3}, {1, 2, 3, 4, 5, 6}});
  ValueId y = *b.AddNode(Dense{}, {x, w}, "product", "node");
  if (style.in_sequence) y = *b.AddNode(Reshape{{1, 2, 2}}, {y}, "steps", "node");
  if (style.shows_product) b.AddOutput(y);
  const ValueId bias = *b.AddConstant("b", style.bias);
  b.AddOutput(*b.AddNode(Add{}, style.bias_first ? std::vector{bias, y} : std::vector{y, bias}, "y", "node"));
  return *std::move(b).Build();
}

// The ops that are left, after it was seen that they compute the same.
std::string Folded(const Style& style) {
  const Graph before = Layer(style);
  const auto after = FoldBias(before);
  EXPECT_TRUE(after.ok() && Verify(*after).ok());
  const std::vector<FloatTensor> samples = {
      {before.values[before.inputs[0]].type.shape, {1, 0, -1, 2, 1, 3}}};
  EXPECT_EQ(*RunGraph(before, samples), *RunGraph(*after, samples));
  return OpsOf(*after);
}

TEST(FoldBias, OfLayersOfMatricesAndOfSequences) {
  EXPECT_EQ(Folded({}), "Reshape Dense Reshape");
  EXPECT_EQ(Folded({.bias_first = true}), "Reshape Dense Reshape");
  EXPECT_EQ(Folded({.in_sequence = false}), "Dense");
  EXPECT_EQ(Folded({.bias = {{1}, {1}}}), "Reshape Dense Reshape");
  EXPECT_EQ(Folded({.bias = {{1, 1, 2}, {1, 2}}}), "Reshape Dense Reshape");
}

TEST(FoldBias, LeavesWhatIsNoBias) {
  EXPECT_EQ(Folded({.shows_product = true}), "Reshape Dense Reshape Add");
  EXPECT_EQ(Folded({.bias = {{2, 2}, {1, 2, 3, 4}}}), "Reshape Dense Reshape Add");
  EXPECT_EQ(Folded({.bias = {{2, 1}, {1, 2}}}), "Reshape Dense Reshape Add");
}

// conv(x, w) + bias, where x has three channels, of one row where it is a sequence.
std::string FoldedConv(const FloatTensor& bias, bool transposed = false, bool is_sequence = false) {
  GraphBuilder b("layer");
  ValueId x = *b.AddInput("x", is_sequence ? Shape{1, 3, 4} : Shape{1, 3, 2, 4});
  if (is_sequence) x = *b.AddNode(Reshape{{1, 3, 1, 4}}, {x}, "rows", "node");
  const ValueId w = *b.AddConstant("w", FloatTensor{{3, 3, 1, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}});
  ValueId y = transposed ? *b.AddNode(ConvTranspose{{1, 1}, {1, 1}, {0, 0, 0, 0}}, {x, w}, "product", "node")
                         : *b.AddNode(Conv{{1, 1}, {1, 1}, {0, 0, 0, 0}}, {x, w}, "product", "node");
  if (is_sequence) y = *b.AddNode(Reshape{{1, 3, 4}}, {y}, "steps", "node");
  b.AddOutput(*b.AddNode(Add{}, {y, *b.AddConstant("b", bias)}, "y", "node"));
  const Graph before = *std::move(b).Build();
  const auto after = FoldBias(before);
  EXPECT_TRUE(after.ok() && Verify(*after).ok());
  FloatTensor sample{before.values[before.inputs[0]].type.shape, {}};
  for (int64_t i = 0; i < NumElements(sample.shape); ++i)
    sample.data.push_back(static_cast<float>(i * 5 % 7));
  const std::vector<FloatTensor> samples = {sample};
  EXPECT_EQ(*RunGraph(before, samples), *RunGraph(*after, samples));
  return OpsOf(*after);
}

TEST(FoldBias, IntoConvolutions) {
  const std::vector<float> three = {10, 20, 30};
  EXPECT_EQ(FoldedConv({{1, 3, 1, 1}, three}), "Conv");
  EXPECT_EQ(FoldedConv({{3, 1, 1}, three}), "Conv");
  EXPECT_EQ(FoldedConv({{1}, {10}}), "Conv");
  EXPECT_EQ(FoldedConv({{}, {10}}), "Conv");
  EXPECT_EQ(FoldedConv({{1, 3, 1, 1}, three}, /*transposed=*/true), "ConvTranspose");
  EXPECT_EQ(FoldedConv({{1, 3, 1}, three}, false, /*is_sequence=*/true), "Reshape Conv Reshape");
  // Along columns, and of rows: no bias.
  EXPECT_EQ(FoldedConv({{4}, {1, 2, 3, 4}}), "Conv Add");
  EXPECT_EQ(FoldedConv({{2, 1}, {1, 2}}), "Conv Add");
  EXPECT_EQ(FoldedConv({{4}, {1, 2, 3, 4}}, false, true), "Reshape Conv Reshape Add");
}

}  // namespace
}  // namespace tally::quant
