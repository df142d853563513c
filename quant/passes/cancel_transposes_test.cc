#include "quant/passes/cancel_transposes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"
#include "quant/graph/testing/ops_of.h"

namespace tally::quant {
namespace {

const Transpose kToChannelsFirst = {{0, 3, 1, 2}}, kToChannelsLast = {{0, 2, 3, 1}};

FloatTensor Drawn(const Shape& shape, uint32_t seed) {
  std::mt19937 draw(seed);
  FloatTensor tensor = {shape, {}};
  for (int64_t i = 0; i < NumElements(shape); ++i) {
    tensor.data.push_back(static_cast<float>(static_cast<int>(draw() % 200)) / 8 - 12);
  }
  return tensor;
}

// The graph after the pass, which computes the same bytes.
Graph Cancelled(const Graph& graph) {
  const auto cancelled = CancelTransposes(graph);
  EXPECT_TRUE(cancelled.ok()) << cancelled.status();
  EXPECT_TRUE(Verify(*cancelled).ok()) << Verify(*cancelled);
  std::vector<FloatTensor> inputs;
  for (const ValueId input : graph.inputs) {
    inputs.push_back(Drawn(graph.values[input].type.shape, static_cast<uint32_t>(input)));
  }
  EXPECT_EQ(*RunGraph(*cancelled, inputs), *RunGraph(graph, inputs));
  return *cancelled;
}

// Layers of a channel-last network: each has a transpose before and after it.
TEST(CancelTransposes, LayersOfAChannelLastNetworkKeepTheFirstAndTheLast) {
  GraphBuilder b("nhwc");
  ValueId x = *b.AddInput("x", {1, 6, 5, 4});
  const ValueId w = *b.AddConstant("w", Drawn({4, 4, 3, 3}, 1)), bias = *b.AddConstant("bias", Drawn({4}, 2));
  ValueId skip = x;
  for (int layer = 0; layer < 3; ++layer) {
    x = *b.AddNode(kToChannelsFirst, {x}, "first", "layer");
    x = *b.AddNode(Conv{.pad = {1, 1, 1, 1}}, {x, w}, "conv", "layer");
    x = *b.AddNode(kToChannelsLast, {x}, "last", "layer");
    x = *b.AddNode(Add{}, {x, bias}, "biased", "layer");
    x = *b.AddNode(Relu{}, {x}, "relu", "layer");
    if (layer == 1) skip = x;
  }
  x = *b.AddNode(Add{}, {x, skip}, "sum", "layer");
  b.AddOutput(x, "y");
  EXPECT_EQ(OpsOf(Cancelled(*std::move(b).Build())),
            "Transpose Conv Add Relu Conv Add Relu Conv Add Relu Add Transpose");
}

TEST(CancelTransposes, ThroughWhatLooksAlongAxes) {
  GraphBuilder b("axes");
  ValueId x = *b.AddInput("x", {2, 3, 4, 5});
  x = *b.AddNode(kToChannelsLast, {x}, "last", "n");
  x = *b.AddNode(Softmax{3}, {x}, "softmax", "n");
  x = *b.AddNode(Pad{.before = {0, 1, 0, 2}, .after = {0, 0, 3, 1}}, {x}, "pad", "n");
  x = *b.AddNode(Slice{{0, 1, 0, 5}, {2, 5, 7, 0}, {1, 2, 3, -2}}, {x}, "slice", "n");
  x = *b.AddNode(Concat{1}, {x, x}, "concat", "n");
  x = *b.AddNode(ReduceSum{{1, 3}}, {x}, "sum", "n");
  x = *b.AddNode(kToChannelsFirst, {x}, "first", "n");
  b.AddOutput(x, "y");
  EXPECT_EQ(OpsOf(Cancelled(*std::move(b).Build())), "Softmax Pad Slice Concat ReduceSum");
}

TEST(CancelTransposes, OneThatMovesAxesOfOneElementIsAReshape) {
  GraphBuilder b("pixel");
  const ValueId x = *b.AddInput("x", {2, 3, 1, 1});
  b.AddOutput(*b.AddNode(kToChannelsLast, {x}, "y", "n"), "y");
  EXPECT_EQ(OpsOf(Cancelled(*std::move(b).Build())), "Reshape");
}

// A value that is read in both orders stays: moving its transpose would add one.
TEST(CancelTransposes, NeverMovesMoreElementsThanBefore) {
  GraphBuilder b("both");
  const ValueId x = *b.AddInput("x", {2, 3, 4, 5});
  const ValueId last = *b.AddNode(kToChannelsLast, {x}, "last", "n");
  const ValueId first = *b.AddNode(Relu{}, {last}, "first", "n"),
                second = *b.AddNode(Slopes{-1, 1}, {last}, "second", "n");
  b.AddOutput(first, "a");
  b.AddOutput(second, "b");
  EXPECT_EQ(OpsOf(Cancelled(*std::move(b).Build())), "Transpose Relu Slopes");
}

TEST(CancelTransposes, OrdersThatDifferStay) {
  GraphBuilder b("differ");
  const ValueId x = *b.AddInput("x", {3, 3, 3, 3});
  const ValueId first = *b.AddNode(kToChannelsFirst, {x}, "first", "n"),
                last = *b.AddNode(kToChannelsLast, {x}, "last", "n");
  b.AddOutput(*b.AddNode(Sub{}, {first, last}, "y", "n"), "y");
  EXPECT_EQ(OpsOf(Cancelled(*std::move(b).Build())), "Transpose Transpose Sub");
}

int64_t ElementsTransposed(const Graph& graph) {
  int64_t elements = 0;
  for (const Node& node : graph.nodes) {
    if (std::holds_alternative<Transpose>(node.op))
      elements += NumElements(graph.values[node.result].type.shape);
  }
  return elements;
}

// The law, on drawn graphs: the same bytes, and no more elements that move.
TEST(CancelTransposes, DrawnGraphsKeepTheirBytes) {
  int improved = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    std::mt19937 draw(seed);
    GraphBuilder b("drawn");
    std::vector<ValueId> values = {*b.AddInput("x", {2, 3, 2, 3}), *b.AddInput("z", {3, 2, 3, 2})};
    const auto shape = [&](ValueId v) -> Shape { return b.graph().values[v].type.shape; };
    const auto any = [&] { return values[draw() % values.size()]; };
    for (int n = 0; n < 14; ++n) {
      const ValueId x = draw() % 2 == 0 ? values.back() : any();
      std::vector<int64_t> order = {0, 1, 2, 3};
      std::shuffle(order.begin(), order.end(), draw);
      const auto axis = static_cast<int64_t>(draw() % 4);
      const ValueId other = any();
      const bool fits = shape(other) == shape(x);
      Shape of_constant(draw() % 5, 1);
      for (size_t i = 0; i < of_constant.size(); ++i) {
        if (draw() % 2 == 0) of_constant[i] = shape(x)[4 - of_constant.size() + i];
      }
      switch (draw() % 9) {
        case 0:
        case 1:
        case 2: values.push_back(*b.AddNode(Transpose{order}, {x}, "t", "n")); break;
        case 3: values.push_back(*b.AddNode(Relu{}, {x}, "r", "n")); break;
        case 4:
          values.push_back(*b.AddNode(Sub{}, {x, *b.AddConstant("c", Drawn(of_constant, seed))}, "s", "n"));
          break;
        case 5: values.push_back(*b.AddNode(Mul{}, {fits ? other : x, x}, "m", "n")); break;
        case 6: values.push_back(*b.AddNode(ReduceExtreme{{axis}}, {x}, "e", "n")); break;
        case 7:
          if (shape(x)[static_cast<size_t>(axis)] < 9)
            values.push_back(*b.AddNode(Concat{axis}, {x, x}, "k", "n"));
          break;
        default: values.push_back(*b.AddNode(Reshape{shape(x)}, {x}, "h", "n")); break;
      }
    }
    b.AddOutput(values.back(), "y");
    b.AddOutput(any(), "w");
    const Graph graph = *std::move(b).Build();
    const Graph cancelled = Cancelled(graph);
    EXPECT_LE(ElementsTransposed(cancelled), ElementsTransposed(graph)) << seed;
    improved += ElementsTransposed(cancelled) < ElementsTransposed(graph) ? 1 : 0;
  }
  EXPECT_GT(improved, 100);  // so that the draws look at what the pass does
}

}  // namespace
}  // namespace tally::quant
