#include "quant/passes/fold_bias.h"

#include <gtest/gtest.h>

#include <string>

#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"

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
  std::string ops;
  for (const Node& node : after->nodes) {
    if (!std::holds_alternative<Constant>(node.op)) ops += std::string(OpName(node.op)) + " ";
  }
  return ops;
}

TEST(FoldBias, OfLayersOfMatricesAndOfSequences) {
  EXPECT_EQ(Folded({}), "Reshape Dense Reshape ");
  EXPECT_EQ(Folded({.bias_first = true}), "Reshape Dense Reshape ");
  EXPECT_EQ(Folded({.in_sequence = false}), "Dense ");
}

TEST(FoldBias, LeavesWhatIsNoBias) {
  EXPECT_EQ(Folded({.shows_product = true}), "Reshape Dense Reshape Add ");
  EXPECT_EQ(Folded({.bias = {{2, 2}, {1, 2, 3, 4}}}), "Reshape Dense Reshape Add ");
  EXPECT_EQ(Folded({.bias = {{1}, {1}}}), "Reshape Dense Reshape Add ");
}

}  // namespace
}  // namespace tally::quant
