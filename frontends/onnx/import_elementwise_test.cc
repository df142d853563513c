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
  EXPECT_EQ(model.ImportLabel(), "onnx_unsupported_type");
}

TEST(ImportElementwise, OnnxMalformed_InputCounts) {
  ModelBuilder model;
  model.Input("x", {1, 3}).Output("y").Node("Relu", {"x", "x"}, {"y"});
  EXPECT_EQ(model.ImportLabel(), "onnx_malformed");
  ModelBuilder left_out;
  left_out.Input("x", {1, 3}).Output("y").Node("Add", {"", "x"}, {"y"});
  EXPECT_EQ(left_out.ImportLabel(), "onnx_malformed");
}

// What Clip with these bounds becomes, in the form that `opset` gives it.
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
  EXPECT_EQ(crossed.ImportLabel(), "onnx_malformed");
  ModelBuilder run_time;
  run_time.Input("x", {1, 3}).Input("low", {}).Output("y").Node("Clip", {"x", "low"}, {"y"});
  EXPECT_EQ(run_time.ImportLabel(), "onnx_unsupported_operand");
  ModelBuilder not_scalar;
  not_scalar.Input("x", {1, 3}).Weight("low", {{2}, {1, 2}}).Output("y").Node("Clip", {"x", "low"}, {"y"});
  EXPECT_EQ(not_scalar.ImportLabel(), "onnx_shape");
  ModelBuilder attribute;  // the form of opset 10, in opset 13
  attribute.Input("x", {1, 3}).Output("y").Node("Clip", {"x"}, {"y"}).Float("min", 0);
  EXPECT_EQ(attribute.ImportLabel(), "onnx_unsupported_attribute");
}

}  // namespace
}  // namespace tally::onnx
