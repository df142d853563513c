#include <gtest/gtest.h>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::Op;
using quant::Slopes;
using quant::Unary;

// The one node that a function of one value becomes.
Op Imported(ModelBuilder& model) {
  const auto graph = model.Import();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok() || graph->nodes.size() != 1) return quant::Relu{};
  return graph->nodes[0].op;
}

Op Imported(const char* op_type, int64_t opset = 21) {
  ModelBuilder model(opset);
  model.Input("x", {1, 3}).Output("y").Node(op_type, {"x"}, {"y"});
  return Imported(model);
}

TEST(ImportUnary, Defaults) {
  EXPECT_EQ(Imported("Elu"), Op(Unary{RecipeFunction::kElu, 1}));
  EXPECT_EQ(Imported("Celu"), Op(Unary{RecipeFunction::kCelu, 1}));
  EXPECT_EQ(Imported("Selu"), Op(Unary{RecipeFunction::kSelu, 1.67326319f, 1.05070102f}));
  EXPECT_EQ(Imported("HardSigmoid"), Op(Unary{RecipeFunction::kHardSigmoid, 0.2f, 0.5f}));
  EXPECT_EQ(Imported("HardSwish"), Op(Unary{RecipeFunction::kHardSwish, 1.0f / 6, 0.5f}));
  EXPECT_EQ(Imported("ThresholdedRelu"), Op(Unary{RecipeFunction::kThreshold, 1}));
  EXPECT_EQ(Imported("LeakyRelu"), Op(Slopes{0.01f, 1}));
  EXPECT_EQ(Imported("Abs"), Op(Slopes{-1, 1}));
  EXPECT_EQ(Imported("Neg"), Op(Slopes{-1, -1}));
  EXPECT_EQ(Imported("Gelu"), Op(Unary{RecipeFunction::kGelu}));
}

// Opsets that the cases of ONNX here are too old for.
TEST(ImportUnary, MishAndBothFormsOfGelu) {
  EXPECT_EQ(Imported("Mish", 18), Op(Unary{RecipeFunction::kMish}));
  for (const auto& [name, function] :
       {std::pair("none", RecipeFunction::kGelu), {"tanh", RecipeFunction::kGeluTanh}}) {
    ModelBuilder model(20);
    model.Input("x", {1, 3}).Output("y").Node("Gelu", {"x"}, {"y"}).String("approximate", name);
    EXPECT_EQ(Imported(model), Op(Unary{function}));
  }
  ModelBuilder other(20);
  other.Input("x", {1, 3}).Output("y").Node("Gelu", {"x"}, {"y"}).String("approximate", "sigmoid");
  EXPECT_EQ(other.ImportLabel(), "model_malformed");
  ModelBuilder before(19);
  before.Input("x", {1, 3}).Output("y").Node("Gelu", {"x"}, {"y"});
  EXPECT_EQ(before.ImportLabel(), "model_unsupported_operator");
}

TEST(ImportUnary, Attributes) {
  ModelBuilder selu;
  selu.Input("x", {1, 3}).Output("y").Node("Selu", {"x"}, {"y"}).Float("alpha", 2).Float("gamma", 3);
  EXPECT_EQ(Imported(selu), Op(Unary{RecipeFunction::kSelu, 2, 3}));
  ModelBuilder hard;
  hard.Input("x", {1, 3}).Output("y").Node("HardSigmoid", {"x"}, {"y"}).Float("alpha", 2).Float("beta", 3);
  EXPECT_EQ(Imported(hard), Op(Unary{RecipeFunction::kHardSigmoid, 2, 3}));
  ModelBuilder leaky;
  leaky.Input("x", {1, 3}).Output("y").Node("LeakyRelu", {"x"}, {"y"}).Float("alpha", 0.2f);
  EXPECT_EQ(Imported(leaky), Op(Slopes{0.2f, 1}));
  ModelBuilder celu;
  celu.Input("x", {1, 3}).Output("y").Node("Celu", {"x"}, {"y"}).Float("alpha", -1);
  EXPECT_EQ(celu.ImportLabel(), "model_malformed");
  ModelBuilder stray;
  stray.Input("x", {1, 3}).Output("y").Node("Tanh", {"x"}, {"y"}).Float("alpha", 1);
  EXPECT_EQ(stray.ImportLabel(), "model_unsupported_attribute");
}

TEST(ImportUnary, PowByOneNumber) {
  const auto pow = [](float exponent) {
    ModelBuilder model;
    model.Input("x", {1, 3}).Weight("e", {{1}, {exponent}}).Output("y").Node("Pow", {"x", "e"}, {"y"});
    return Imported(model);
  };
  EXPECT_EQ(pow(2), Op(Unary{RecipeFunction::kPower, 2}));
  EXPECT_EQ(pow(0.5f), Op(Unary{RecipeFunction::kSqrt}));
  EXPECT_EQ(pow(-0.5f), Op(Unary{RecipeFunction::kRsqrt}));
  EXPECT_EQ(pow(-1), Op(Unary{RecipeFunction::kReciprocal}));
  ModelBuilder integer;
  integer.Input("x", {1, 3}).Integers("e", {{}, {3}}).Output("y").Node("Pow", {"x", "e"}, {"y"});
  EXPECT_EQ(Imported(integer), Op(Unary{RecipeFunction::kPower, 3}));
  ModelBuilder one;
  one.Input("x", {1, 3}).Weight("e", {{}, {1}}).Output("y").Node("Pow", {"x", "e"}, {"y"});
  EXPECT_EQ(OpsOf(*one.Import()), "");
}

TEST(ImportUnary, PowByComputedExponents) {
  ModelBuilder model;
  model.Input("x", {1, 3}).Input("e", {3}).Output("y").Node("Pow", {"x", "e"}, {"y"});
  const auto y =
      std::get<quant::FloatTensor>(model.Run({{{1, 3}, {2, 9, 0.5f}}, {{3}, {3, 0.5f, -1}}}).at(0));
  EXPECT_NEAR(y.data[0], 8, 1e-5);
  EXPECT_NEAR(y.data[1], 3, 1e-5);
  EXPECT_NEAR(y.data[2], 2, 1e-5);
}

}  // namespace
}  // namespace tally::onnx
