#include "quant/passes/fold_batch_norm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"

namespace tally::quant {
namespace {

FloatTensor Random(Shape shape, uint32_t seed, float low, float high) {
  FloatTensor tensor{std::move(shape), {}};
  for (int64_t i = 0; i < NumElements(tensor.shape); ++i) {
    seed = seed * 1664525u + 1013904223u;
    tensor.data.push_back(low + (high - low) * static_cast<float>(seed >> 8) / 16777216.0f);
  }
  return tensor;
}

// Adds a BatchNorm of random parameters over `x`.
ValueId AddNorm(GraphBuilder& builder, ValueId x, const std::string& name) {
  const int64_t channels = builder.graph().values[x].type.shape[1];
  std::vector<ValueId> operands = {x};
  for (uint32_t i = 0; i < 4; ++i) {
    const FloatTensor parameter = Random({channels}, 10 + i, i == 3 ? 0.1f : -2.0f, 2.0f);
    operands.push_back(*builder.AddConstant(name + ".p" + std::to_string(i), parameter));
  }
  return *builder.AddNode(BatchNorm{1e-3f}, operands, name, "norm '" + name + "'");
}

ValueId AddConv(GraphBuilder& builder, ValueId x, const std::string& name, bool has_bias) {
  const int64_t channels = builder.graph().values[x].type.shape[1];
  std::vector<ValueId> operands = {x,
                                   *builder.AddConstant(name + ".w", Random({6, channels, 3, 3}, 3, -1, 1))};
  if (has_bias) operands.push_back(*builder.AddConstant(name + ".b", Random({6}, 4, -1, 1)));
  return *builder.AddNode(Conv{}, operands, name, "conv '" + name + "'");
}

int Count(const Graph& graph, std::string_view op) {
  return static_cast<int>(std::count_if(graph.nodes.begin(), graph.nodes.end(),
                                        [&](const Node& node) { return OpName(node.op) == op; }));
}

// Folds, and expects outputs of the same names and, up to float32 rounding of weights, values.
Graph FoldAndCompare(const Graph& graph) {
  EXPECT_TRUE(Verify(graph).ok()) << Verify(graph);
  const auto folded = FoldBatchNorm(graph);
  if (!folded.ok()) {
    ADD_FAILURE() << folded.status();
    return graph;
  }
  EXPECT_TRUE(Verify(*folded).ok()) << Verify(*folded);
  EXPECT_EQ(Count(*folded, "BatchNorm"), 0);
  std::vector<FloatTensor> inputs;
  for (const ValueId input : graph.inputs) inputs.push_back(Random(graph.values[input].type.shape, 7, -3, 3));
  const std::vector<Tensor> before = *RunGraph(graph, inputs);
  const std::vector<Tensor> after = *RunGraph(*folded, inputs);
  EXPECT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(graph.outputs[i].name, folded->outputs[i].name);
    EXPECT_EQ(graph.values[graph.outputs[i].value].name, folded->values[folded->outputs[i].value].name);
    const FloatTensor& a = std::get<FloatTensor>(before[i]);
    const FloatTensor& b = std::get<FloatTensor>(after[i]);
    EXPECT_EQ(a.shape, b.shape);
    for (size_t j = 0; j < a.data.size(); ++j)
      EXPECT_NEAR(a.data[j], b.data[j], 2e-5 * (1 + std::abs(a.data[j])));
  }
  return *folded;
}

TEST(FoldBatchNorm, FoldsIntoTheConvolutionBefore) {
  for (const bool has_bias : {false, true}) {
    GraphBuilder builder("conv");
    const ValueId x = *builder.AddInput("x", {2, 3, 6, 5});
    const ValueId y = AddNorm(builder, AddConv(builder, x, "conv", has_bias), "y");
    builder.AddOutput(*builder.AddNode(Relu{}, {y}, "z", "relu"));
    const Graph folded = FoldAndCompare(*std::move(builder).Build());
    EXPECT_EQ(Count(folded, "Conv"), 1);
    EXPECT_EQ(Count(folded, "Constant"), 2);  // the folded weight and bias, and no leftovers
    EXPECT_EQ(folded.nodes.size(), 4u);
  }
}

TEST(FoldBatchNorm, FoldsIntoDense) {
  GraphBuilder builder("dense");
  const ValueId x = *builder.AddInput("x", {2, 3});
  const ValueId w = *builder.AddConstant("w", Random({5, 3}, 1, -1, 1));
  builder.AddOutput(AddNorm(builder, *builder.AddNode(Dense{}, {x, w}, "fc", "fc"), "y"));
  const Graph folded = FoldAndCompare(*std::move(builder).Build());
  EXPECT_EQ(Count(folded, "Dense"), 1);
  EXPECT_EQ(folded.nodes.size(), 3u);
}

TEST(FoldBatchNorm, FoldsIntoTransposedConvolutionsOfGroups) {
  for (const int64_t groups : {1, 2}) {
    GraphBuilder builder("transposed");
    const ValueId x = *builder.AddInput("x", {2, 4, 3, 5});
    const ValueId w = *builder.AddConstant("w", Random({4, 6 / groups, 2, 3}, 3, -1, 1));
    const ValueId y = *builder.AddNode(ConvTranspose{.stride = {2, 1}, .dilation = {1, 1}, .groups = groups},
                                       {x, w}, "up", "up");
    builder.AddOutput(AddNorm(builder, y, "y"));
    const Graph folded = FoldAndCompare(*std::move(builder).Build());
    EXPECT_EQ(folded.nodes.size(), 3u) << groups;  // a weight, a bias
  }
}

TEST(FoldBatchNorm, FoldsThroughTheReshapeOfA1DConvolution) {
  GraphBuilder builder("signal");
  const ValueId x = *builder.AddInput("x", {2, 3, 9, 3});
  const ValueId conv = AddConv(builder, x, "conv", true);  // [2, 6, 7, 1]
  builder.AddOutput(AddNorm(builder, *builder.AddNode(Reshape{{2, 6, 7}}, {conv}, "flat", "conv"), "y"));
  const Graph folded = FoldAndCompare(*std::move(builder).Build());
  EXPECT_EQ(Count(folded, "Conv"), 1);
  EXPECT_EQ(Count(folded, "Reshape"), 1);
}

TEST(FoldBatchNorm, AReshapeThatMixesChannelsStays) {
  GraphBuilder builder("mixed");
  const ValueId x = *builder.AddInput("x", {1, 3, 5, 5});
  const ValueId conv = AddConv(builder, x, "conv", true);  // [1, 6, 3, 3]
  builder.AddOutput(AddNorm(builder, *builder.AddNode(Reshape{{1, 9, 6}}, {conv}, "flat", "conv"), "y"));
  EXPECT_EQ(Count(FoldAndCompare(*std::move(builder).Build()), "Conv"), 2);
}

TEST(FoldBatchNorm, AConvolutionThatOthersReadStays) {
  GraphBuilder builder("shared");
  const ValueId x = *builder.AddInput("x", {1, 3, 5, 5});
  const ValueId conv = AddConv(builder, x, "conv", true);
  builder.AddOutput(AddNorm(builder, conv, "y"));
  builder.AddOutput(conv);
  EXPECT_EQ(Count(FoldAndCompare(*std::move(builder).Build()), "Conv"), 2);
}

TEST(FoldBatchNorm, ChainsFoldOnceAndContinueDepthwise) {
  GraphBuilder builder("chain");
  const ValueId x = *builder.AddInput("x", {1, 3, 5, 5});
  builder.AddOutput(AddNorm(builder, AddNorm(builder, AddConv(builder, x, "conv", false), "y"), "z"));
  EXPECT_EQ(Count(FoldAndCompare(*std::move(builder).Build()), "Conv"), 2);
}

TEST(FoldBatchNorm, OthersBecomeDepthwiseOfAnyRank) {
  for (const Shape& shape : {Shape{2, 3}, Shape{2, 3, 4}, Shape{2, 3, 4, 5}, Shape{1, 3, 2, 2, 2}}) {
    GraphBuilder builder("alone");
    builder.AddOutput(AddNorm(builder, *builder.AddInput("x", shape), "y"));
    const Graph folded = FoldAndCompare(*std::move(builder).Build());
    EXPECT_EQ(Count(folded, "Conv"), 1);
    EXPECT_EQ(Count(folded, "Reshape"), shape.size() == 4 ? 0 : 2);
  }
}

TEST(FoldBatchNorm, NewNamesGiveWayToExistingOnes) {
  GraphBuilder builder("names");
  const ValueId x = *builder.AddInput("x", {1, 3, 5, 5});
  const ValueId y = AddNorm(builder, AddConv(builder, x, "conv", false), "y");
  builder.AddOutput(*builder.AddNode(Relu{}, {y}, "y.weight", "relu"));
  FoldAndCompare(*std::move(builder).Build());
}

TEST(FoldBatchNorm, LeavesOtherGraphsAsTheyAre) {
  GraphBuilder builder("plain");
  const ValueId x = *builder.AddInput("x", {1, 3, 5, 5});
  const ValueId constant = *builder.AddConstant("constant", FloatTensor{{1}, {2}});
  builder.AddOutput(AddConv(builder, x, "conv", true));
  builder.AddOutput(constant);
  const Graph folded = FoldAndCompare(*std::move(builder).Build());
  EXPECT_EQ(folded.nodes.size(), 4u);
}

// A BatchNorm of one channel with the given scale and variance.
std::string LabelOf(float scale, float variance) {
  GraphBuilder builder("label");
  std::vector<ValueId> operands = {*builder.AddInput("x", {1, 1, 2, 2})};
  for (const float parameter : {scale, 0.0f, 0.0f, variance}) {
    operands.push_back(*builder.AddConstant("p", FloatTensor{{1}, {parameter}}));
  }
  builder.AddOutput(*builder.AddNode(BatchNorm{0.0f}, operands, "y", "norm"));
  return ErrorLabel(FoldBatchNorm(*std::move(builder).Build()).status());
}

TEST(FoldBatchNorm, FoldBatchNormVariance_MustBePositive) {
  EXPECT_EQ(LabelOf(1, 1), "");
  EXPECT_EQ(LabelOf(1, 0), "fold_batch_norm_variance");
  EXPECT_EQ(LabelOf(1, -1), "fold_batch_norm_variance");
}

TEST(FoldBatchNorm, FoldBatchNormOverflow_WeightsMustFitFloat32) {
  EXPECT_EQ(LabelOf(std::numeric_limits<float>::max(), 1e-10f), "fold_batch_norm_overflow");
}

}  // namespace
}  // namespace tally::quant
