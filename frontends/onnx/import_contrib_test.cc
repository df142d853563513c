#include <gtest/gtest.h>

#include <cmath>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Tensor;

constexpr char kMicrosoft[] = "com.microsoft";

FloatTensor Only(const ModelBuilder& model, const std::vector<FloatTensor>& inputs) {
  return std::get<FloatTensor>(model.Run(inputs)[0]);
}

TEST(ImportContrib, GelusWithABias) {
  const struct {
    const char* op;
    double expected;  // of 1
  } cases[] = {
      {"Gelu", 0.8413447}, {"BiasGelu", 0.8413447}, {"FastGelu", 0.8411920}, {"QuickGelu", 0.8457958}};
  for (const auto& [op, expected] : cases) {
    ModelBuilder model;
    model.Input("x", {1, 2}).Output("y").Weight("b", {{2}, {0.75f, 0.75f}});
    const bool has_bias = std::string(op) == "BiasGelu" || std::string(op) == "FastGelu";
    model.Node(op, has_bias ? std::vector<std::string>{"x", "b"} : std::vector<std::string>{"x"}, {"y"})
        .Domain(kMicrosoft);
    const float x = has_bias ? 0.25f : 1.0f;
    EXPECT_NEAR(Only(model, {{{1, 2}, {x, x}}}).data[0], expected, 1e-5) << op;
  }
}

// (x + bias + skip) normalized: of 1, 3 the mean is 2 and the deviation 1.
TEST(ImportContrib, NormsOfSums) {
  ModelBuilder model;
  model.Input("x", {1, 2}).Input("skip", {1, 2}).Output("y").Output("sum");
  model.Weight("scale", {{2}, {10, 20}}).Weight("offset", {{2}, {5, 6}}).Weight("bias", {{2}, {0, 1}});
  model.Node("SkipLayerNormalization", {"x", "skip", "scale", "offset", "bias"}, {"y", "", "", "sum"})
      .Domain(kMicrosoft);
  EXPECT_EQ(OpsOf(*model.Import()), "Add Add LayerNorm");
  const std::vector<Tensor> results = model.Run({{{1, 2}, {0.5f, 1}}, {{1, 2}, {0.5f, 1}}});
  EXPECT_EQ(std::get<FloatTensor>(results[0]).data, (std::vector<float>{-5, 26}));
  EXPECT_EQ(std::get<FloatTensor>(results[1]).data, (std::vector<float>{1, 3}));
}

TEST(ImportContrib, RootMeanSquares) {
  for (const char* op : {"SimplifiedLayerNormalization", "SkipSimplifiedLayerNormalization"}) {
    const bool skips = std::string(op) == "SkipSimplifiedLayerNormalization";
    ModelBuilder model;
    model.Input("x", {1, 2}).Output("y").Weight("scale", {{2}, {10, 20}}).Weight("zero", {{1, 2}, {0, 0}});
    model
        .Node(op,
              skips ? std::vector<std::string>{"x", "zero", "scale"} : std::vector<std::string>{"x", "scale"},
              {"y"})
        .Domain(kMicrosoft);
    const FloatTensor y = Only(model, {{{1, 2}, {1, 7}}});  // their mean square is 25
    EXPECT_FLOAT_EQ(y.data[0], 2) << op;
    EXPECT_FLOAT_EQ(y.data[1], 28) << op;
  }
}

// ONNX Runtime has this one in ONNX's own domain.
TEST(ImportContrib, SimplifiedLayerNormalizationWithoutADomain) {
  ModelBuilder model;
  model.Input("x", {1, 2}).Output("y").Weight("scale", {{2}, {1, 1}});
  model.Node("SimplifiedLayerNormalization", {"x", "scale"}, {"y"});
  EXPECT_EQ(OpsOf(*model.Import()), "RmsNorm");
}

TEST(ImportContrib, ProductsOfTransposedMatricesWithAFactor) {
  ModelBuilder model;
  model.Input("a", {1, 2, 1}).Input("b", {1, 3, 2}).Output("y");
  model.Node("FusedMatMul", {"a", "b"}, {"y"})
      .Domain(kMicrosoft)
      .Int("transA", 1)
      .Int("transB", 1)
      .Float("alpha", 0.5f);
  EXPECT_EQ(Only(model, {{{1, 2, 1}, {1, 2}}, {{1, 3, 2}, {1, 2, 3, 4, 5, 6}}}),
            (FloatTensor{{1, 1, 3}, {2.5f, 5.5f, 8.5f}}));

  ModelBuilder weights;
  weights.Input("a", {1, 2}).Output("y").Weight("w", {{2, 2}, {1, 2, 3, 4}});
  weights.Node("FusedMatMul", {"a", "w"}, {"y"}).Domain(kMicrosoft).Float("alpha", 2);
  EXPECT_EQ(OpsOf(*weights.Import()), "Dense");
  EXPECT_EQ(Only(weights, {{{1, 2}, {1, 1}}}), (FloatTensor{{1, 2}, {8, 12}}));
}

TEST(ImportContrib, Refusals) {
  ModelBuilder batch;
  batch.Input("a", {1, 2, 2}).Output("y");
  batch.Node("FusedMatMul", {"a", "a"}, {"y"}).Domain(kMicrosoft).Int("transBatchA", 1);
  EXPECT_EQ(batch.ImportLabel(), "onnx_unsupported_attribute");
  ModelBuilder alpha;
  alpha.Input("a", {2, 2})
      .Output("y")
      .Node("FusedMatMul", {"a", "a"}, {"y"})
      .Domain(kMicrosoft)
      .Float("alpha", -1);
  EXPECT_EQ(alpha.ImportLabel(), "onnx_unsupported_attribute");
  ModelBuilder domain;
  domain.Input("a", {2, 2}).Output("y").Node("BiasGelu", {"a", "a"}, {"y"});
  EXPECT_EQ(domain.ImportLabel(), "onnx_unsupported_operator") << "in ONNX's own domain";
}

}  // namespace
}  // namespace tally::onnx
