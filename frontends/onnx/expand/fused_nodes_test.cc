// Expected values are ONNX Runtime's, of the same weights and inputs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/onnx/testing/drawn.h"
#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;

void ExpectNear(const ModelBuilder& model, const std::vector<FloatTensor>& inputs,
                const std::vector<float>& expected) {
  const auto results = model.Run(inputs);
  ASSERT_EQ(results.size(), 1u);
  const std::vector<float>& y = std::get<FloatTensor>(results[0]).data;
  ASSERT_EQ(y.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-6) << i;
}

ModelBuilder Conv(const std::string& activation, const std::vector<float>& parameters, int64_t opset = 13) {
  ModelBuilder model(opset);
  model.Input("x", {1, 2, 2, 2}).Weight("w", Drawn({2, 2, 1, 1}, 1)).Weight("b", Drawn({2}, 2)).Output("y");
  model.Node("FusedConv", {"x", "w", "b"}, {"y"})
      .Domain("com.microsoft")
      .String("activation", activation)
      .Ints("kernel_shape", {1, 1});
  if (!parameters.empty()) {
    NodeBuilder(model.graph().mutable_node(0)).Floats("activation_params", parameters);
  }
  return model;
}

TEST(FusedNodes, ConvolutionsWithParametersInAList) {
  const FloatTensor x = Drawn({1, 2, 2, 2}, 3);
  ExpectNear(Conv("HardSigmoid", {0.25f, 0.5f}), {x},
             {0.359375f, 0.171875f, 0.84375f, 0.3125f, 0.421875f, 0.546875f, 0.15625f, 0.453125f});
  for (const int64_t opset : {10, 13}) {  // bounds became inputs in 11
    ExpectNear(Conv("Clip", {-0.5f, 0.75f}, opset), {x},
               {-0.5f, -0.5f, 0.75f, -0.5f, -0.3125f, 0.1875f, -0.5f, -0.1875f});
  }
  EXPECT_EQ(OpsOf(*Conv("Relu", {}).Import()), "Conv Relu");
}

TEST(FusedNodes, ConvolutionsWithAResidualInFrontOfTheActivation) {
  ModelBuilder model = Conv("LeakyRelu", {0.25f});
  model.Input("z", {1, 2, 2, 2}).graph().mutable_node(0)->add_input("z");
  EXPECT_EQ(OpsOf(*model.Import()), "Conv Add Slopes");
  ExpectNear(model, {Drawn({1, 2, 2, 2}, 3), Drawn({1, 2, 2, 2}, 4)},
             {-0.390625f, -0.140625f, 1.125f, -0.5f, 0.1875f, -0.078125f, -0.03125f, 0.0625f});
}

TEST(FusedNodes, ProductsWithParametersByName) {
  const struct {
    const char* activation;
    std::vector<std::pair<const char*, float>> parameters;
    std::vector<float> expected;
  } cases[] = {
      {"LeakyRelu", {{"alpha", 0.25f}}, {-0.1015625f, 0.53125f, 0.4375f, -0.0546875f, -0.328125f, 2.0625f}},
      {"Selu",
       {{"alpha", 2}, {"gamma", 0.5f}},
       {-0.3338564f, 0.265625f, 0.21875f, -0.1964774f, -0.7308537f, 1.03125f}},
      {"Elu", {{"alpha", 0.5f}}, {-0.1669282f, 0.53125f, 0.4375f, -0.09823871f, -0.3654268f, 2.0625f}},
      {"ThresholdedRelu", {{"alpha", 0.5f}}, {0, 0.53125f, 0, 0, 0, 2.0625f}},
      {"HardSigmoid",
       {{"alpha", 0.25f}, {"beta", 0.5f}},
       {0.3984375f, 0.6328125f, 0.609375f, 0.4453125f, 0.171875f, 1}}};
  for (const auto& [activation, parameters, expected] : cases) {
    ModelBuilder model;
    model.Input("x", {2, 4}).Weight("w", Drawn({3, 4}, 1)).Weight("b", Drawn({3}, 2)).Output("y");
    NodeBuilder node = model.Node("FusedGemm", {"x", "w", "b"}, {"y"});
    node.Domain("com.microsoft").String("activation", activation).Int("transB", 1).Float("alpha", 0.5f);
    for (const auto& [name, value] : parameters) node.Float(std::string("activation_") + name, value);
    SCOPED_TRACE(activation);
    ExpectNear(model, {Drawn({2, 4}, 3)}, expected);
  }
}

// The whole is as of the nodes that it stands for.
TEST(FusedNodes, GiveTheGraphOfTheirNodes) {
  ModelBuilder apart;
  apart.Input("x", {1, 2, 2, 2}).Weight("w", Drawn({2, 2, 1, 1}, 1)).Weight("b", Drawn({2}, 2)).Output("y");
  apart.Node("Conv", {"x", "w", "b"}, {"c"}).Ints("kernel_shape", {1, 1});
  apart.Node("Sigmoid", {"c"}, {"y"});
  const auto a = *apart.Import(), b = *Conv("Sigmoid", {}).Import();
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    EXPECT_EQ(a.nodes[i].op, b.nodes[i].op);
    EXPECT_EQ(a.nodes[i].operands, b.nodes[i].operands);
  }
}

TEST(FusedNodes, Refusals) {
  EXPECT_EQ(Conv("Loop", {}).ImportLabel(), "model_unsupported_attribute");
  EXPECT_EQ(Conv("Clip", {1}).ImportLabel(), "model_malformed");
  ModelBuilder nameless = Conv("Relu", {});
  nameless.graph().mutable_node(0)->clear_attribute();
  EXPECT_EQ(nameless.ImportLabel(), "model_malformed");
  ModelBuilder integer = Conv("LeakyRelu", {});
  NodeBuilder(integer.graph().mutable_node(0)).Int("activation_alpha", 1);
  EXPECT_EQ(integer.ImportLabel(), "model_malformed");
  ModelBuilder unknown = Conv("Relu", {});
  NodeBuilder(unknown.graph().mutable_node(0)).Int("surprise", 1);
  EXPECT_EQ(unknown.ImportLabel(), "model_unsupported_attribute");
  ModelBuilder other = Conv("Relu", {});
  other.graph().mutable_node(0)->set_domain("com.other");
  EXPECT_EQ(other.ImportLabel(), "model_unsupported_operator");
}

}  // namespace
}  // namespace tally::onnx
