#include <gtest/gtest.h>

#include "base/error.h"
#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::Conv;
using quant::Extents;
using quant::Pads;
using quant::Shape;

// A convolution of x [1, 4, 7, 9] with w; the caller adds attributes to `node`.
struct ConvModel {
  explicit ConvModel(const Shape& weight = {6, 4, 3, 2}, bool has_bias = false) {
    model.Input("x", {1, 4, 7, 9}).Weight("w", SmallIntegers(weight, 1)).Output("y");
    model.Weight("b", SmallIntegers({weight[0]}, 2));
    node = model.Node("Conv",
                      has_bias ? std::vector<std::string>{"x", "w", "b"} : std::vector<std::string>{"x", "w"},
                      {"y"});
  }

  // The imported operator; a failure, when there is not exactly one.
  Conv Imported() const {
    const auto graph = model.Import();
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) return {};
    EXPECT_EQ(OpsOf(*graph), "Conv");
    return std::get<Conv>(graph->nodes.back().op);
  }

  ModelBuilder model;
  NodeBuilder node{nullptr};
};

TEST(ImportConv, DefaultsAreOnesAndZeros) { EXPECT_EQ(ConvModel().Imported(), Conv{}); }

TEST(ImportConv, ReadsEveryAttribute) {
  ConvModel conv({6, 2, 3, 2}, /*has_bias=*/true);
  conv.node.Ints("kernel_shape", {3, 2}).Ints("strides", {2, 3}).Ints("dilations", {1, 2});
  conv.node.Ints("pads", {1, 2, 3, 4}).Int("group", 2).String("auto_pad", "NOTSET");
  EXPECT_EQ(conv.Imported(), (Conv{{2, 3}, {1, 2}, {1, 2, 3, 4}, 2}));
}

TEST(ImportConv, WeightsAndBiasArriveUnchanged) {
  ConvModel conv({2, 4, 1, 1}, /*has_bias=*/true);
  const auto graph = conv.model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const quant::Node& node = graph->nodes.back();
  ASSERT_EQ(node.operands.size(), 3u);
  EXPECT_EQ(std::get<quant::FloatTensor>(*quant::ConstantOf(*graph, node.operands[1])),
            SmallIntegers({2, 4, 1, 1}, 1));
  EXPECT_EQ(std::get<quant::FloatTensor>(*quant::ConstantOf(*graph, node.operands[2])),
            SmallIntegers({2}, 2));
  EXPECT_EQ(node.source, "node 0 'the_Conv' (Conv, ai.onnx opset 13)");
}

TEST(ImportConv, AutoPadSameRoundsUpTheNumberOfWindows) {
  // Along y: ceil(7 / 2) = 4 windows of extent 3 need 9 elements. Along x: 3 windows of extent 3 over 9
  // need none.
  for (const auto& [mode, pad] : {std::pair<std::string, Pads>{"SAME_UPPER", {1, 0, 1, 0}}}) {
    ConvModel conv;
    conv.node.String("auto_pad", mode).Ints("strides", {2, 3}).Ints("dilations", {1, 2});
    EXPECT_EQ(conv.Imported().pad, pad);
  }
  // Extents 4 and 2: an odd element goes to the end for UPPER, to the beginning for LOWER.
  ConvModel upper({6, 4, 4, 2});
  upper.node.String("auto_pad", "SAME_UPPER");
  EXPECT_EQ(upper.Imported().pad, (Pads{1, 0, 2, 1}));
  ConvModel lower({6, 4, 4, 2});
  lower.node.String("auto_pad", "SAME_LOWER").Ints("pads", {0, 0, 0, 0});
  EXPECT_EQ(lower.Imported().pad, (Pads{2, 1, 1, 0}));
  ConvModel wide_stride({6, 4, 1, 1});
  wide_stride.node.String("auto_pad", "SAME_UPPER").Ints("strides", {2, 4});
  EXPECT_EQ(wide_stride.Imported().pad, Pads{});
  ConvModel valid;
  valid.node.String("auto_pad", "VALID");
  EXPECT_EQ(valid.Imported().pad, Pads{});
}

TEST(ImportConv, OnnxMalformed_AttributesOutOfRange) {
  for (const char* name : {"strides", "dilations", "kernel_shape"}) {
    for (const std::vector<int64_t>& values :
         {std::vector<int64_t>{}, {1}, {1, 1, 1}, {0, 1}, {1, -1}, {int64_t{1} << 40, 1}}) {
      ConvModel conv;
      conv.node.Ints(name, values);
      EXPECT_EQ(conv.model.ImportLabel(), "model_malformed") << name;
    }
  }
  for (const std::vector<int64_t>& pads :
       {std::vector<int64_t>{1, 1}, {0, 0, 0, -1}, {0, 0, 0, int64_t{1} << 62}}) {
    ConvModel conv;
    conv.node.Ints("pads", pads);
    EXPECT_EQ(conv.model.ImportLabel(), "model_malformed");
  }
  for (const int64_t group : {0, -1, 3, 4}) {
    ConvModel conv({6, 1, 3, 2});
    conv.node.Int("group", group);
    EXPECT_EQ(conv.model.ImportLabel(), "model_malformed") << group;
  }
}

TEST(ImportConv, OnnxMalformed_ContradictingAttributes) {
  ConvModel both;
  both.node.String("auto_pad", "SAME_UPPER").Ints("pads", {1, 1, 1, 1});
  EXPECT_EQ(both.model.ImportLabel(), "model_malformed");
  ConvModel unknown;
  unknown.node.String("auto_pad", "SAME");
  EXPECT_EQ(unknown.model.ImportLabel(), "model_malformed");
  ConvModel ceil;
  ceil.node.Int("ceil_mode", 1);
  EXPECT_EQ(ceil.model.ImportLabel(), "model_unsupported_attribute");
}

TEST(ImportConv, OnnxShape_ShapesThatDoNotFit) {
  ConvModel kernel;
  kernel.node.Ints("kernel_shape", {2, 3});
  EXPECT_EQ(kernel.model.ImportLabel(), "model_shape");
  EXPECT_EQ(ConvModel({6, 4, 3}).model.ImportLabel(), "model_shape");
  EXPECT_EQ(ConvModel({6, 3, 3, 3}).model.ImportLabel(), "model_shape");
  EXPECT_EQ(ConvModel({6, 4, 8, 1}).model.ImportLabel(), "model_shape");
  ModelBuilder one_dimensional;
  one_dimensional.Input("x", {1, 4, 7}).Weight("w", SmallIntegers({6, 4, 3, 3}, 1)).Output("y");
  one_dimensional.Node("Conv", {"x", "w"}, {"y"});
  EXPECT_EQ(one_dimensional.ImportLabel(), "model_shape");
}

// By a weight that is computed, the same numbers as by the same weight as a constant.
TEST(ImportConv, WeightsComputedAtRunTime) {
  const quant::FloatTensor x = SmallIntegers({2, 4, 7, 9}, 1), w = SmallIntegers({6, 2, 3, 2}, 2),
                           b = SmallIntegers({6}, 3);
  const auto run = [&](bool is_constant, const std::vector<quant::FloatTensor>& inputs) {
    ModelBuilder model;
    model.Input("x", x.shape).Output("y").Weight("b", b);
    is_constant ? model.Weight("w", w) : model.Input("w", w.shape);
    model.Node("Conv", {"x", "w", "b"}, {"y"})
        .Ints("pads", {1, 0, 2, 1})
        .Ints("strides", {2, 1})
        .Ints("dilations", {1, 3})
        .Int("group", 2);
    return model.Run(inputs);
  };
  EXPECT_EQ(run(false, {x, w}), run(true, {x}));
  ModelBuilder unfit;
  unfit.Input("x", {1, 4, 7, 9}).Input("w", {6, 3, 3, 3}).Output("y").Node("Conv", {"x", "w"}, {"y"});
  EXPECT_EQ(unfit.ImportLabel(), "model_shape");
}

TEST(ImportConv, AWeightBehindALayoutChangeIsAConstant) {
  ModelBuilder model;
  model.Input("x", {1, 4, 7, 9}).Weight("w", SmallIntegers({3, 2, 4, 6}, 1)).Output("y");
  model.Node("Transpose", {"w"}, {"t"});
  model.Node("Identity", {"t"}, {"i"});
  model.Node("Conv", {"x", "i"}, {"y"});
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(OpsOf(*graph), "Conv");
}

TEST(ImportConv, OfOneSpatialAxisIsAnImageOfOneRow) {
  ModelBuilder model;
  model.Input("x", {1, 4, 9}).Weight("w", SmallIntegers({6, 2, 3}, 1)).Output("y");
  model.Node("Conv", {"x", "w"}, {"y"})
      .Ints("kernel_shape", {3})
      .Ints("strides", {2})
      .Ints("dilations", {3})
      .Ints("pads", {1, 2})
      .Int("group", 2);
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(OpsOf(*graph), "Reshape Conv Reshape");
  for (const quant::Node& node : graph->nodes) {
    if (const auto* conv = std::get_if<Conv>(&node.op)) {
      EXPECT_EQ(*conv, (Conv{{1, 2}, {1, 3}, {0, 1, 0, 2}, 2}));
    }
  }
  EXPECT_EQ(graph->values[graph->outputs[0].value].type.shape, (quant::Shape{1, 6, 3}));
}

// ConvTranspose of x [1, 4, 5, 6] and a weight [4, 3, 3, 2].
struct TransposedModel {
  TransposedModel() {
    model.Input("x", {1, 4, 5, 6}).Weight("w", SmallIntegers({4, 3, 3, 2}, 1)).Output("y");
    node = model.Node("ConvTranspose", {"x", "w"}, {"y"});
  }
  quant::ConvTranspose Imported() const {
    const auto graph = model.Import();
    EXPECT_TRUE(graph.ok()) << graph.status();
    return graph.ok() ? std::get<quant::ConvTranspose>(graph->nodes.back().op) : quant::ConvTranspose{};
  }
  quant::Shape Result() const { return model.Import()->values.back().type.shape; }

  ModelBuilder model;
  NodeBuilder node{nullptr};
};

TEST(ImportConvTranspose, ReadsItsAttributes) {
  TransposedModel conv;
  conv.node.Ints("strides", {2, 3}).Ints("dilations", {1, 2}).Ints("pads", {1, 0, 2, 1}).Int("group", 2);
  conv.node.Ints("output_padding", {1, 0}).Ints("kernel_shape", {3, 2});
  EXPECT_EQ(conv.Imported(), (quant::ConvTranspose{{2, 3}, {1, 2}, {1, 0, 2, 1}, {1, 0, 0}, 2}));
  EXPECT_EQ(TransposedModel().Imported(), quant::ConvTranspose{});
}

TEST(ImportConvTranspose, ResolvesAutomaticPadsAndWantedShapes) {
  TransposedModel upper, lower, valid, wanted, larger;
  upper.node.String("auto_pad", "SAME_UPPER").Ints("strides", {2, 1});  // 11 x 7 become 10 x 6
  EXPECT_EQ(upper.Imported().pad, (quant::Pads{0, 0, 1, 1}));
  EXPECT_EQ(upper.Result(), (quant::Shape{1, 3, 10, 6}));
  lower.node.String("auto_pad", "SAME_LOWER").Ints("strides", {2, 1});
  EXPECT_EQ(lower.Imported().pad, (quant::Pads{1, 1, 0, 0}));
  valid.node.String("auto_pad", "VALID");
  EXPECT_EQ(valid.Imported(), quant::ConvTranspose{});
  wanted.node.Ints("output_shape", {4, 7});  // cut from 7 x 7
  EXPECT_EQ(wanted.Imported().pad, (quant::Pads{2, 0, 1, 0}));
  larger.node.Ints("output_shape", {7, 9});
  EXPECT_EQ(larger.Imported().output_padding, (quant::Extents{0, 2, 0}));
  EXPECT_EQ(larger.Result(), (quant::Shape{1, 3, 7, 9}));
}

TEST(ImportConvTranspose, Refusals) {
  TransposedModel both, mode, length;
  both.node.String("auto_pad", "SAME_UPPER").Ints("pads", {1, 1, 1, 1});
  EXPECT_EQ(both.model.ImportLabel(), "model_malformed");
  mode.node.String("auto_pad", "SAME");
  EXPECT_EQ(mode.model.ImportLabel(), "model_malformed");
  length.node.Ints("output_padding", {1});
  EXPECT_EQ(length.model.ImportLabel(), "model_malformed");
  ModelBuilder four_axes;
  four_axes.Input("x", {1, 1, 2, 2, 2, 2}).Weight("w", SmallIntegers({1, 1, 2, 2, 2, 2}, 1)).Output("y");
  four_axes.Node("ConvTranspose", {"x", "w"}, {"y"});
  EXPECT_EQ(four_axes.ImportLabel(), "model_shape");
}

// A weight of one in the middle of 3 x 3 x 3 moves nothing, and one elsewhere moves by its distance.
TEST(ImportConv, OfVolumes) {
  for (const bool transposed : {false, true}) {
    quant::FloatTensor weight{{1, 1, 3, 3, 3}, std::vector<float>(27)};
    weight.data[(1 * 3 + 1) * 3 + 1] = 1;   // the middle
    weight.data[(0 * 3 + 1) * 3 + 1] = 10;  // in front of it
    ModelBuilder model;
    model.Input("x", {1, 1, 2, 2, 2}).Weight("w", weight).Output("y");
    model.Node(transposed ? "ConvTranspose" : "Conv", {"x", "w"}, {"y"}).Ints("pads", {1, 1, 1, 1, 1, 1});
    const quant::FloatTensor x{{1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}};
    const quant::FloatTensor y = transposed ? quant::FloatTensor{x.shape, {51, 62, 73, 84, 5, 6, 7, 8}}
                                            : quant::FloatTensor{x.shape, {1, 2, 3, 4, 15, 26, 37, 48}};
    EXPECT_EQ(model.Run({x}), std::vector<quant::Tensor>{y});
  }
}

}  // namespace
}  // namespace tally::onnx
