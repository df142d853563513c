#include <gtest/gtest.h>

#include <limits>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::Clip;
using quant::FloatTensor;
using quant::Tensor;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

TEST(ImportElementwise, AddAndRelu) {
  ModelBuilder model;
  model.Input("x", {1, 3}).Weight("b", {{3}, {1, 2, 3}}).Output("y");
  model.Node("Add", {"x", "b"}, {"sum"});
  model.Node("Relu", {"sum"}, {"y"});
  EXPECT_EQ(model.Run({{{1, 3}, {-5, 0, 1}}}), (std::vector<Tensor>{FloatTensor{{1, 3}, {0, 2, 4}}}));
}

TEST(ImportElementwise, OnnxUnsupportedType_IntegersDoNotAdd) {
  ModelBuilder model;
  model.Input("x", {1, 3}).Integers("i", {{3}, {1, 2, 3}}).Output("y").Node("Add", {"x", "i"}, {"y"});
  EXPECT_EQ(model.ImportLabel(), "model_unsupported_type");
}

TEST(ImportElementwise, OnnxMalformed_InputCounts) {
  ModelBuilder model;
  model.Input("x", {1, 3}).Output("y").Node("Relu", {"x", "x"}, {"y"});
  EXPECT_EQ(model.ImportLabel(), "model_malformed");
  ModelBuilder left_out;
  left_out.Input("x", {1, 3}).Output("y").Node("Add", {"", "x"}, {"y"});
  EXPECT_EQ(left_out.ImportLabel(), "model_malformed");
}

// The result of Clip with these bounds, in the form that `opset` gives it.
quant::Op ImportedClip(int64_t opset, float low, float high) {
  ModelBuilder model(opset);
  model.Input("x", {1, 3}).Output("y");
  if (opset < 11) {
    model.Node("Clip", {"x"}, {"y"}).Float("min", low).Float("max", high);
  } else {
    model.Weight("low", {{}, {low}}).Weight("high", {{1}, {high}});
    model.Node("Clip", {"x", "low", "high"}, {"y"});
  }
  const auto graph = model.Import();
  EXPECT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->nodes.size(), 1u);
  return graph->nodes[0].op;
}

TEST(ImportElementwise, ClipByBoundsThatAreComputed) {
  ModelBuilder model;
  model.Input("x", {1, 4}).Weight("two", {{}, {2}}).Weight("four", {{1}, {4}}).Output("y");
  model.Node("ReduceMax", {"x"}, {"most"}).Int("keepdims", 0);
  model.Node("Sub", {"most", "two"}, {"low"});
  model.Node("Clip", {"x", "low", "four"}, {"y"});
  EXPECT_EQ(model.Run({{{1, 4}, {-5, 1, 3, 5}}}), (std::vector<Tensor>{FloatTensor{{1, 4}, {3, 3, 3, 4}}}));
  ModelBuilder integers(13);
  integers.IntegerInput("x", {3}).Integers("low", {{}, {-1}}).Output("y");
  integers.Node("Clip", {"x", "low"}, {"y"});
  EXPECT_EQ(integers.ImportLabel(), "");
}

// As exporters write a clamp without an upper end.
TEST(ImportElementwise, AnInfiniteBoundBoundsNothing) {
  const float infinity = std::numeric_limits<float>::infinity();
  ModelBuilder model(13);
  model.Input("x", {3}).Input("low", {1}).Output("y");
  model.Weight("high", {{}, {infinity}});
  model.Node("Clip", {"x", "low", "high"}, {"y"});
  EXPECT_EQ(model.Run({{{3}, {1, 2, 3}}, {{1}, {2}}}),
            (std::vector<quant::Tensor>{FloatTensor{{3}, {2, 2, 3}}}));
  ModelBuilder below(13);
  below.Input("x", {3}).Input("high", {1}).Output("y");
  below.Weight("low", {{}, {-infinity}});
  below.Node("Clip", {"x", "low", "high"}, {"y"});
  EXPECT_EQ(below.Run({{{3}, {1, 2, 3}}, {{1}, {2}}}),
            (std::vector<quant::Tensor>{FloatTensor{{3}, {1, 2, 2}}}));
}

TEST(ImportElementwise, ClipByAttributesAndByInputs) {
  for (const int64_t opset : {7, 10, 11, 21}) {
    EXPECT_EQ(ImportedClip(opset, 0, 6), quant::Op(Clip{0, 6})) << opset;
    EXPECT_EQ(ImportedClip(opset, -1, kLargest), quant::Op(Clip{-1, kInfinity})) << opset;
    EXPECT_EQ(ImportedClip(opset, -kInfinity, 1), quant::Op(Clip{-kInfinity, 1})) << opset;
    EXPECT_EQ(ImportedClip(opset, 0, kInfinity), quant::Op(quant::Relu{})) << opset;
  }
}

TEST(ImportElementwise, ClipBoundsAreOptional) {
  ModelBuilder model;
  model.Input("x", {1, 3}).Weight("one", {{}, {1}}).Output("y");
  model.Node("Clip", {"x", "", "one"}, {"upper"});
  model.Node("Clip", {"upper", "one"}, {"lower"});
  model.Node("Clip", {"lower"}, {"y"});
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_EQ(OpsOf(*graph), "Clip Clip");
  EXPECT_EQ(graph->nodes[0].op, quant::Op(Clip{-kInfinity, 1}));
  EXPECT_EQ(graph->nodes[1].op, quant::Op(Clip{1, kInfinity}));
  EXPECT_EQ(graph->outputs[0].name, "y");
  ModelBuilder attributes(10);
  attributes.Input("x", {1, 3}).Output("y").Node("Clip", {"x"}, {"y"});
  EXPECT_EQ(OpsOf(*attributes.Import()), "");
}

TEST(ImportElementwise, ClipRefusals) {
  ModelBuilder crossed(10);
  crossed.Input("x", {1, 3}).Output("y").Node("Clip", {"x"}, {"y"}).Float("min", 2).Float("max", 1);
  EXPECT_EQ(crossed.ImportLabel(), "model_malformed");
  ModelBuilder not_scalar;
  not_scalar.Input("x", {1, 3}).Weight("low", {{2}, {1, 2}}).Output("y").Node("Clip", {"x", "low"}, {"y"});
  EXPECT_EQ(not_scalar.ImportLabel(), "model_shape");
  ModelBuilder attribute;  // the form of opset 10, in opset 13
  attribute.Input("x", {1, 3}).Output("y").Node("Clip", {"x"}, {"y"}).Float("min", 0);
  EXPECT_EQ(attribute.ImportLabel(), "model_unsupported_attribute");
}

TEST(ImportElementwise, ChoicesWithANumberAreBounds) {
  const auto imported = [](const char* op_type, const std::vector<std::string>& inputs) {
    ModelBuilder model;
    model.Input("x", {1, 3}).Weight("two", {{}, {2}}).Weight("row", {{3}, {1, 2, 3}}).Output("y");
    model.Node(op_type, inputs, {"y"});
    return OpsOf(*model.Import());
  };
  for (const char* op_type : {"Max", "Min"}) {
    EXPECT_EQ(imported(op_type, {"x", "two"}), "Clip");
    EXPECT_EQ(imported(op_type, {"two", "x"}), "Clip");
    EXPECT_EQ(imported(op_type, {"x", "row"}), op_type);
    EXPECT_EQ(imported(op_type, {"x"}), "");
    EXPECT_EQ(imported(op_type, {"x", "row", "two"}), std::string(op_type) + " Clip");
  }
  ModelBuilder model;
  model.Input("x", {1, 3}).Weight("two", {{}, {2}}).Output("low").Output("high");
  model.Node("Max", {"x", "two"}, {"low"});
  model.Node("Min", {"x", "two"}, {"high"});
  EXPECT_EQ(model.Run({{{1, 3}, {1, 2, 3}}}),
            (std::vector<Tensor>{FloatTensor{{1, 3}, {2, 2, 3}}, FloatTensor{{1, 3}, {1, 2, 2}}}));
}

TEST(ImportElementwise, ANumberOfHigherRankChangesTheShape) {
  ModelBuilder model;
  model.Input("x", {3}).Weight("two", {{1, 1}, {2}}).Output("y").Node("Max", {"x", "two"}, {"y"});
  EXPECT_EQ(model.Run({{{3}, {1, 2, 3}}}), (std::vector<Tensor>{FloatTensor{{1, 3}, {2, 2, 3}}}));
}

TEST(ImportElementwise, DivByAConstantMultiplies) {
  ModelBuilder model;
  model.Input("x", {1, 3}).Weight("b", {{3}, {1, 2, -4}}).Output("y").Node("Div", {"x", "b"}, {"y"});
  EXPECT_EQ(OpsOf(*model.Import()), "Mul");
  EXPECT_EQ(model.Run({{{1, 3}, {8, 8, 8}}}), (std::vector<Tensor>{FloatTensor{{1, 3}, {8, 4, -2}}}));
  ModelBuilder by_value;
  by_value.Input("x", {1, 3}).Weight("a", {{}, {1}}).Output("y").Node("Div", {"a", "x"}, {"y"});
  EXPECT_EQ(OpsOf(*by_value.Import()), "Div");
  ModelBuilder by_zero;
  by_zero.Input("x", {1, 3}).Weight("b", {{}, {0}}).Output("y").Node("Div", {"x", "b"}, {"y"});
  EXPECT_EQ(by_zero.ImportLabel(), "model_nan_weight");
}

TEST(ImportElementwise, SumAndMeanOfSeveral) {
  ModelBuilder model;
  model.Input("x", {1, 2}).Weight("b", {{2}, {1, 2}}).Output("sum").Output("mean");
  model.Node("Sum", {"x", "b", "x"}, {"sum"});
  model.Node("Mean", {"x", "b", "x", "x"}, {"mean"});
  EXPECT_EQ(model.Run({{{1, 2}, {5, 10}}}),
            (std::vector<Tensor>{FloatTensor{{1, 2}, {11, 22}}, FloatTensor{{1, 2}, {4, 8}}}));
}

TEST(ImportElementwise, PReluOfOneSlopeAndOfSeveral) {
  const FloatTensor x{{1, 2, 2}, {-1, 2, -3, 4}};
  ModelBuilder one;
  one.Input("x", {1, 2, 2}).Weight("a", {{1, 1}, {0.5f}}).Output("y").Node("PRelu", {"x", "a"}, {"y"});
  EXPECT_EQ(OpsOf(*one.Import()), "Slopes");
  EXPECT_EQ(one.Run({x}), (std::vector<Tensor>{FloatTensor{{1, 2, 2}, {-0.5f, 2, -1.5f, 4}}}));
  ModelBuilder channels;
  channels.Input("x", {1, 2, 2}).Weight("a", {{2, 1}, {2, -1}}).Output("y").Node("PRelu", {"x", "a"}, {"y"});
  EXPECT_EQ(OpsOf(*channels.Import()), "Relu Clip Mul Add");
  EXPECT_EQ(channels.Run({x}), (std::vector<Tensor>{FloatTensor{{1, 2, 2}, {-2, 2, 3, 4}}}));
  ModelBuilder wider;
  wider.Input("x", {1, 2, 1}).Weight("a", {{3}, {1, 2, 3}}).Output("y").Node("PRelu", {"x", "a"}, {"y"});
  EXPECT_EQ(wider.ImportLabel(), "model_shape");
}

}  // namespace
}  // namespace tally::onnx
