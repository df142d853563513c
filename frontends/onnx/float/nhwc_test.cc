// The NHWC dialect: --dialect nhwc. Values are worked out by hand or by loops over the definition; cases of
// every operator with values from Python are in tests/formats.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;

const ImportOptions kNhwc = {.dialect = Dialect::kNhwc};

// A model of one node "y" from "x" and weights.
ModelBuilder OneNode(const std::string& op, const quant::Shape& x,
                     const std::vector<std::pair<std::string, FloatTensor>>& weights = {}) {
  ModelBuilder model(8);
  model.Input("x", x).Output("y");
  std::vector<std::string> inputs = {"x"};
  for (const auto& [name, tensor] : weights) {
    inputs.push_back(name);
    model.Weight(name, tensor);
  }
  model.Node(op, inputs, {"y"});
  return model;
}

NodeBuilder NodeOf(ModelBuilder& model) { return NodeBuilder(model.graph().mutable_node(0)); }

FloatTensor RunOne(const ModelBuilder& model, const FloatTensor& x) {
  const auto results = model.Run({x}, kNhwc);
  return results.empty() ? FloatTensor() : std::get<FloatTensor>(results[0]);
}

// The column j of the weight [M, 1, 2, C] reads x j columns on; "SAME" adds one column of zeros at the end.
TEST(Nhwc, ConvolutionsHaveChannelsLastAndPadAtTheEnd) {
  ModelBuilder model = OneNode("Conv", {1, 1, 3, 2}, {{"w", {{1, 1, 2, 2}, {1, 10, 100, 1000}}}});
  NodeOf(model).String("pads", "SAME");
  const FloatTensor x = {{1, 1, 3, 2}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(RunOne(model, x), (FloatTensor{{1, 1, 3, 1}, {21 + 4300, 43 + 6500, 65}}));
  ModelBuilder valid = OneNode("Conv", {1, 1, 3, 2}, {{"w", {{1, 1, 2, 2}, {1, 10, 100, 1000}}}});
  NodeOf(valid).String("pads", "VALID").Ints("kernel_shape", {1, 2}).Ints("strides", {1, 1, 1, 1});
  EXPECT_EQ(RunOne(valid, x), (FloatTensor{{1, 1, 2, 1}, {21 + 4300, 43 + 6500}}));
}

// Channel k by filter q is channel 2 k + q.
TEST(Nhwc, DepthwiseConvolutionsOrderChannelsAsTensorFlow) {
  const ModelBuilder model =
      OneNode("DepthwiseConv2d", {1, 1, 1, 3}, {{"w", {{1, 1, 3, 2}, {1, 2, 3, 4, 5, 6}}}});
  EXPECT_EQ(RunOne(model, {{1, 1, 1, 3}, {1, 10, 100}}),
            (FloatTensor{{1, 1, 1, 6}, {1, 2, 30, 40, 500, 600}}));
}

TEST(Nhwc, BatchNormalizationIsAlongTheLastAxisWithOrWithoutScale) {
  const FloatTensor two = {{2}, {2, 3}}, zero = {{2}, {0, 0}}, one = {{2}, {1, 1}};
  const FloatTensor x = {{1, 1, 2, 2}, {1, 2, 3, 4}};
  ModelBuilder all =
      OneNode("BatchNormalization", x.shape, {{"scale", two}, {"b", one}, {"mean", zero}, {"var", one}});
  NodeOf(all).Float("epsilon", 0).Float("momentu", 0.9f);
  EXPECT_EQ(RunOne(all, x), (FloatTensor{x.shape, {3, 7, 7, 13}}));
  ModelBuilder moved = OneNode("BatchNormalization", x.shape, {{"b", two}, {"mean", one}, {"var", one}});
  NodeOf(moved).Float("epsilon", 0);
  EXPECT_EQ(RunOne(moved, x), (FloatTensor{x.shape, {2, 4, 4, 6}}));
  ModelBuilder named = OneNode("BatchNormalization", x.shape, {{"b", two}, {"mean", one}, {"var", one}});
  named.graph().mutable_node(0)->clear_input();
  for (const char* name : {"x", "", "b", "mean", "var"}) named.graph().mutable_node(0)->add_input(name);
  NodeOf(named).Float("epsilon", 0);
  EXPECT_EQ(RunOne(named, x), (FloatTensor{x.shape, {2, 4, 4, 6}}));
}

TEST(Nhwc, DenseTakesTheOrientationThatFits) {
  const FloatTensor x = {{1, 2}, {1, 10}};
  const FloatTensor bias = {{3}, {100, 200, 300}};
  const FloatTensor kernel = {{2, 3}, {1, 2, 3, 4, 5, 6}}, turned = {{3, 2}, {1, 4, 2, 5, 3, 6}};
  const FloatTensor y = {{1, 3}, {141, 252, 363}};
  EXPECT_EQ(RunOne(OneNode("Dense", {1, 2}, {{"w", kernel}, {"b", bias}}), x), y);
  EXPECT_EQ(RunOne(OneNode("Dense", {1, 2}, {{"w", turned}, {"b", bias}}), x), y);
  // A square one is [in, units], and the report says so.
  const ModelBuilder square = OneNode("Dense", {1, 2}, {{"w", {{2, 2}, {1, 2, 3, 4}}}});
  EXPECT_EQ(RunOne(square, x), (FloatTensor{{1, 2}, {31, 42}}));
  const auto report = CheckOnnx(square.Bytes(), kNhwc);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->format, "ONNX, NHWC dialect");
  ASSERT_EQ(report->notes.size(), 1u);
  EXPECT_NE(report->notes[0].find("(Dense, NHWC dialect): the weight is square"), std::string::npos);
}

TEST(Nhwc, PadsComeInPairs) {
  ModelBuilder model = OneNode("Pad", {1, 2});
  NodeOf(model).Ints("pads", {0, 1, 2, 0});
  EXPECT_EQ(RunOne(model, {{1, 2}, {5, 6}}), (FloatTensor{{2, 4}, {0, 0, 5, 6, 0, 0, 0, 0}}));
}

// No transpose is left between layers: those at the ends stay, since inputs and outputs are as the file has
// them.
TEST(Nhwc, LayersInARowNeedNoTransposes) {
  ModelBuilder model(8);
  model.Input("x", {1, 4, 4, 2}).Output("y");
  model.Weight("w", SmallIntegers({3, 3, 3, 2}, 1)).Weight("v", SmallIntegers({2, 3, 3, 3}, 2));
  model.Weight("bias", {{3}, {1, 2, 3}});
  model.Node("Conv", {"x", "w"}, {"a"}).String("pads", "SAME");
  model.Node("AddBias", {"a", "bias"}, {"b"});
  model.Node("Relu6", {"b"}, {"c"});
  model.Node("Conv", {"c", "v"}, {"d"}).String("pads", "SAME");
  model.Node("MaxPool", {"d"}, {"y"}).Ints("kernel_shape", {2, 2}).Ints("strides", {2, 2});
  const auto graph = model.Import(kNhwc);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(OpsOf(*graph),
            "Transpose Conv Transpose Add Clip Transpose Conv Transpose Transpose MaxPool "
            "Transpose");
}

TEST(Nhwc, WhatContradictsTheDialectIsRefused) {
  // Pads of ONNX's own.
  ModelBuilder numbers = OneNode("Conv", {1, 4, 4, 2}, {{"w", SmallIntegers({3, 3, 3, 2}, 1)}});
  NodeOf(numbers).Ints("pads", {1, 1, 1, 1});
  EXPECT_EQ(numbers.ImportLabel(kNhwc), "model_malformed");
  EXPECT_NE(numbers.Import(kNhwc).status().message().find("without --dialect"), std::string::npos);
  ModelBuilder automatic = OneNode("MaxPool", {1, 4, 4, 2});
  NodeOf(automatic).Ints("kernel_shape", {2, 2}).String("auto_pad", "VALID");
  EXPECT_EQ(automatic.ImportLabel(kNhwc), "model_malformed");
  // A weight [M, C, kH, kW].
  const ModelBuilder first = OneNode("Conv", {1, 4, 4, 2}, {{"w", SmallIntegers({3, 2, 3, 3}, 1)}});
  EXPECT_EQ(first.ImportLabel(kNhwc), "model_shape");
  // Operators and domains that it does not have.
  EXPECT_EQ(OneNode("Sqrt", {1, 2}).ImportLabel(kNhwc), "model_unsupported_operator");
  ModelBuilder foreign = OneNode("Relu", {1, 2});
  NodeOf(foreign).Domain("com.microsoft");
  EXPECT_EQ(foreign.ImportLabel(kNhwc), "model_unsupported_operator");
  // Broadcasting, which it has in Max and PRelu alone.
  for (const char* op : {"Add", "Mul", "Sum"}) {
    EXPECT_EQ(OneNode(op, {2, 3}, {{"b", {{3}, {1, 2, 3}}}}).ImportLabel(kNhwc), "model_shape") << op;
  }
  EXPECT_EQ(OneNode("Max", {2, 3}, {{"b", {{3}, {1, 2, 3}}}}).ImportLabel(kNhwc), "");
}

TEST(Nhwc, WhatItsDocumentLeavesOpenIsRefused) {
  const FloatTensor w = SmallIntegers({2, 3, 3, 3}, 1);
  EXPECT_EQ(OneNode("ConvTranspose", {1, 4, 4, 2}, {{"w", w}}).ImportLabel(kNhwc),
            "model_unsupported_operator");
  ModelBuilder linear = OneNode("UpSampling2D", {1, 2, 2, 1});
  NodeOf(linear).Ints("size", {2, 2}).String("mode", "linear");
  EXPECT_EQ(linear.ImportLabel(kNhwc), "model_unsupported_attribute");
  ModelBuilder edge = OneNode("Pad", {1, 2});
  NodeOf(edge).Ints("pads", {0, 0, 1, 1}).String("mode", "edge");
  EXPECT_EQ(edge.ImportLabel(kNhwc), "model_unsupported_attribute");
  ModelBuilder both = OneNode("DepthwiseConv2d", {1, 4, 4, 1}, {{"w", SmallIntegers({2, 2, 1, 1}, 1)}});
  NodeOf(both).Ints("strides", {2, 2}).Ints("dilations", {2, 2});
  EXPECT_EQ(both.ImportLabel(kNhwc), "model_malformed");
  EXPECT_EQ(OneNode("Squeeze", {1, 2}).ImportLabel(kNhwc), "model_malformed");
}

TEST(Nhwc, ShapesAreChecked) {
  const FloatTensor five = {{5}, {1, 2, 3, 4, 5}};
  EXPECT_EQ(OneNode("AddBias", {1, 2, 2, 3}, {{"b", five}}).ImportLabel(kNhwc), "model_shape");
  EXPECT_EQ(OneNode("Dense", {1, 3}, {{"w", SmallIntegers({4, 5}, 1)}}).ImportLabel(kNhwc), "model_shape");
  EXPECT_EQ(
      OneNode("DepthwiseConv2d", {1, 4, 4, 3}, {{"w", SmallIntegers({2, 2, 2, 1}, 1)}}).ImportLabel(kNhwc),
      "model_shape");
  EXPECT_EQ(OneNode("GlobalMaxPool", {1, 2}).ImportLabel(kNhwc), "model_shape");
  ModelBuilder size = OneNode("UpSampling2D", {1, 2, 2, 1});
  NodeOf(size).Ints("size", {2, 2, 2, 1});
  EXPECT_EQ(size.ImportLabel(kNhwc), "model_malformed");
  ModelBuilder pads = OneNode("Pad", {1, 2});
  NodeOf(pads).Ints("pads", {1, 1});
  EXPECT_EQ(pads.ImportLabel(kNhwc), "model_malformed");
  ModelBuilder word = OneNode("MaxPool", {1, 4, 4, 2});
  NodeOf(word).Ints("kernel_shape", {2, 2}).String("pads", "FULL");
  EXPECT_EQ(word.ImportLabel(kNhwc), "model_malformed");
}

// A file of the dialect without the option: the refusal names it.
TEST(Nhwc, OrdinaryImportsNameTheOption) {
  ModelBuilder model = OneNode("MaxPool", {1, 4, 4, 2});
  NodeOf(model).Ints("kernel_shape", {2, 2}).String("pads", "SAME");
  EXPECT_NE(model.ImportMessage().find("--dialect nhwc"), std::string::npos);
  EXPECT_NE(OneNode("Relu6", {1, 2}).ImportMessage().find("--dialect nhwc"), std::string::npos);
}

// Its files say nothing of operator sets.
TEST(Nhwc, OperatorSetsAreNotRead) {
  ModelBuilder model = OneNode("Relu", {1, 2});
  model.proto().clear_opset_import();
  EXPECT_EQ(model.ImportLabel(kNhwc), "");
  EXPECT_EQ(model.ImportLabel(), "model_malformed");
}

}  // namespace
}  // namespace tally::onnx
