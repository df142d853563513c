// A network is the same whatever powers of two its channels are divided by.
#include "quant/equalize/equalize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "quant/equalize/unit_factors.h"
#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

// Layers, and what factors go through, in any order.
class DrawnNetwork {
 public:
  explicit DrawnNetwork(uint32_t seed) : random_(seed) {}

  Graph Draw() {
    ValueId x = *b_.AddInput("x", {1, 4, 6, 6});
    std::vector<ValueId> of_one_shape = {x};
    for (int i = 0; i < 12; ++i) {
      const ValueId y = Step(x, of_one_shape);
      if (ShapeOf(y) != ShapeOf(x)) of_one_shape.clear();
      of_one_shape.push_back(x = y);
    }
    const ValueId mean = Node(GlobalAveragePool{}, {x});
    const ValueId rows = Node(Reshape{{1, ShapeOf(mean)[1]}}, {mean});
    const ValueId hidden = Node(Relu{}, {Dense_(rows, 8)});
    const ValueId normal = Node(LayerNorm{{1}}, {hidden, Drawn({8}), Drawn({8})});
    const ValueId product = Node(MatMul{}, {normal, Drawn({8, 6})});
    b_.AddOutput(Dense_(Node(Slopes{0.25f, 1}, {product}), 3));
    return *std::move(b_).Build();
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  const Shape& ShapeOf(ValueId value) const { return b_.graph().values[value].type.shape; }
  ValueId Drawn(const Shape& shape) {
    return *b_.AddConstant("c", Random(shape, static_cast<uint32_t>(random_()), -1, 1.5));
  }
  ValueId Node(const Op& op, const std::vector<ValueId>& operands) {
    return *b_.AddNode(op, operands, "v", "node");
  }
  ValueId Dense_(ValueId x, int64_t units) {
    return Node(Dense{}, {x, Drawn({units, ShapeOf(x)[1]}), Drawn({units})});
  }

  ValueId Step(ValueId x, const std::vector<ValueId>& of_one_shape) {
    const int64_t channels = ShapeOf(x)[1];
    switch (Below(15)) {
      case 0: return Node(Conv{{1, 1}, {1, 1}, {1, 1, 1, 1}, 1}, {x, Drawn({6, channels, 3, 3}), Drawn({6})});
      case 1: return Node(Conv{{1, 1}, {1, 1}, {1, 1, 1, 1}, channels}, {x, Drawn({channels, 1, 3, 3})});
      case 2: return Node(Conv{{1, 1}, {1, 1}, {}, 2}, {x, Drawn({8, channels / 2, 1, 1}), Drawn({8})});
      case 3: {
        const ConvTranspose op = {.stride = {1, 1}, .dilation = {1, 1}, .pad = {1, 1, 1, 1}, .groups = 2};
        return Node(op, {x, Drawn({channels, 3, 3, 3}), Drawn({6})});
      }
      case 4: return Node(Relu{}, {x});
      case 5: return Node(Slopes{0.1f, 1}, {x});
      case 6: return Node(MaxPool{{3, 3}, {1, 1}, {1, 1, 1, 1}}, {x});
      case 7: return Node(AveragePool{{3, 3}, {1, 1}, {1, 1, 1, 1}}, {x});
      case 8: return Node(Add{}, {x, of_one_shape[static_cast<size_t>(Below(3)) % of_one_shape.size()]});
      case 9: return Node(Mul{}, {x, Drawn(Below(2) == 0 ? Shape{1} : Shape{channels, 1, 1})});
      case 10: return Node(Add{}, {Drawn(Below(2) == 0 ? Shape{} : Shape{1, channels, 1, 1}), x});
      case 12: return Node(Unary{RecipeFunction::kSilu}, {x});
      case 13: return Node(Clip{0, 1}, {x});
      case 11: {
        const ValueId turned = Node(Transpose{{0, 2, 3, 1}}, {x});
        return Node(Transpose{{0, 3, 1, 2}}, {turned});
      }
      default: {
        const Shape shape = ShapeOf(x);
        const ValueId flat = Node(Reshape{{1, channels, shape[2] * shape[3]}}, {x});
        const ValueId padded = Node(Pad{Pad::Mode::kEdge, {0, 0, 2}, {0, 0, 3}}, {flat});
        const Slice back = {{0, 0, 2}, {1, channels, 2 + shape[2] * shape[3]}, {1, 1, 1}};
        return Node(Reshape{shape}, {Node(back, {padded})});
      }
    }
  }

  std::mt19937 random_;
  GraphBuilder b_{"drawn"};
};

TEST(Equalized, ResultsAreTheSameBits) {
  size_t groups = 0, constants = 0, added = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const Graph before = DrawnNetwork(seed).Draw();
    ChannelExponents exponents;
    std::mt19937 random(seed + 1000);
    const Graph with_all = *WithUnitFactors(before, [](const std::string&) { return true; });
    for (const ChannelGroup& group : FindChannelGroups(with_all).list) {
      for (int64_t c = 0; c < group.channels; ++c)
        exponents[group.name].push_back(static_cast<int>(random() % 13) - 6);
    }
    const auto after = Equalized(before, exponents);
    ASSERT_TRUE(after.ok()) << after.status();
    ASSERT_TRUE(Verify(*after).ok()) << Verify(*after);
    const std::vector<FloatTensor> input = {Random({1, 4, 6, 6}, seed)};
    EXPECT_EQ(*RunGraph(before, input), *RunGraph(*after, input)) << "seed " << seed;
    groups += exponents.size();
    added += with_all.nodes.size() - before.nodes.size();
    constants += FindChannelGroups(before).constants.size();
  }
  EXPECT_GT(groups, 600u);
  EXPECT_GT(constants, 2000u);
  EXPECT_GT(added, 20u);
}

// A SiLU is not homogeneous, and depthwise layers that read it alone undo factors for nothing.
TEST(UnitFactors, FollowWhatDepthwiseLayersAloneRead) {
  const auto nodes_with = [](bool is_depthwise, bool shows) {
    GraphBuilder b("silu");
    const ValueId x = *b.AddInput("x", {1, 4, 3, 3});
    const ValueId silu = *b.AddNode(Unary{RecipeFunction::kSilu}, {x}, "silu", "silu");
    const ValueId w = *b.AddConstant("w", Random({4, is_depthwise ? 1 : 4, 1, 1}, 1));
    b.AddOutput(*b.AddNode(Conv{{1, 1}, {1, 1}, {}, is_depthwise ? 4 : 1}, {silu, w}, "y", "conv"));
    if (shows) b.AddOutput(silu);
    return *WithUnitFactors(*std::move(b).Build(),
                            [](const std::string& name) { return name == "silu_scaled"; });
  };
  const Graph graph = nodes_with(true, false);
  EXPECT_EQ(graph.nodes.size(), 5u);
  ASSERT_EQ(FindChannelGroups(graph).list.size(), 1u);
  EXPECT_EQ(FindChannelGroups(graph).list[0].name, "silu_scaled");
  EXPECT_EQ(nodes_with(true, true).nodes.size(), 3u);
  EXPECT_EQ(nodes_with(false, false).nodes.size(), 3u);
}

// conv -> relu -> conv
Graph TwoLayers(float weight) {
  GraphBuilder b("two");
  const ValueId x = *b.AddInput("x", {1, 1, 2, 2});
  const auto layer = [&](ValueId from, float w, const std::string& name) {
    const ValueId weights = *b.AddConstant("w", FloatTensor{{1, 1, 1, 1}, {w}});
    return *b.AddNode(Conv{{1, 1}, {1, 1}, {}, 1}, {from, weights}, name, "node '" + name + "'");
  };
  const ValueId hidden = *b.AddNode(Relu{}, {layer(x, weight, "first")}, "hidden", "relu");
  b.AddOutput(layer(hidden, 1, "second"));
  return *std::move(b).Build();
}

TEST(Equalized, DividesWhatALayerMakes) {
  const Graph graph = *Equalized(TwoLayers(3), {{"first", {2}}});
  EXPECT_EQ(std::get<FloatTensor>(*ConstantOf(graph, graph.nodes[1].operands[1])).data[0], 0.75f);
}

TEST(Equalized, RefusesWhatIsNoGroupOrNotExact) {
  const auto label = [](float weight, const ChannelExponents& exponents) {
    return ErrorLabel(Equalized(TwoLayers(weight), exponents).status());
  };
  EXPECT_EQ(label(3, {{"first", {2}}}), "");
  EXPECT_EQ(label(3, {{"second", {2}}}), "calibration_exponents");
  EXPECT_EQ(label(3, {{"first", {2, 2}}}), "calibration_exponents");
  EXPECT_EQ(label(3, {{"first", {}}}), "calibration_exponents");
  EXPECT_EQ(label(0x1.8p-126f, {{"first", {1}}}), "");
  EXPECT_EQ(label(0x1.000002p-126f, {{"first", {1}}}), "calibration_exponents") << "a bit is lost";
  EXPECT_EQ(label(0x1p127f, {{"first", {-1}}}), "calibration_exponents");
}

}  // namespace
}  // namespace tally::quant
