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
    double expected;  // the result for 1
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

// Expected values are ONNX Runtime's.
TEST(ImportContrib, EmbeddingsThatAreSummedAndNormalized) {
  const auto drawn = [](const quant::Shape& shape, int64_t seed) {
    FloatTensor tensor{shape, {}};
    for (int64_t i = 0; i < quant::NumElements(shape); ++i) {
      tensor.data.push_back(static_cast<float>((i * 7 + seed * 3) % 11 - 5) / 4);
    }
    return tensor;
  };
  const auto model = [&](const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
    ModelBuilder m;
    m.IntegerInput("ids", {1, 3}).Weight("words", drawn({4, 4}, 1)).Weight("places", drawn({5, 4}, 2));
    m.Weight("types", drawn({2, 4}, 3)).Weight("g", drawn({4}, 4)).Weight("o", drawn({4}, 5));
    m.Node("EmbedLayerNormalization", inputs, outputs).Domain(kMicrosoft).Float("epsilon", 1e-5f);
    for (const std::string& output : outputs) m.Output(output);
    return m;
  };
  const auto expect_near = [](const Tensor& got, const std::vector<float>& expected) {
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(std::get<FloatTensor>(got).data[i], expected[i], 1e-5) << i;
    }
  };
  ModelBuilder full =
      model({"ids", "kinds", "words", "places", "types", "g", "o", "mask"}, {"y", "counts", "sum"});
  full.IntegerInput("kinds", {1, 3}).IntegerInput("mask", {1, 3});
  const std::vector<Tensor> results =
      full.Run({{{1, 3}, {2, 0, 1}}, {{1, 3}, {0, 1, 1}}, {{1, 3}, {1, 1, 0}}});
  expect_near(results[0], {-1.173310f, -2.512762f, 0.3777972f, -0.8394521f, 0.4626948f, -0.4482182f,
                           0.2772829f, 1.059020f, -1.173310f, -2.512762f, 0.3777972f, -0.8394521f});
  EXPECT_EQ(results[1], Tensor(quant::Int64Tensor{{1}, {2}}));
  EXPECT_EQ(results[2],
            Tensor(FloatTensor{
                {1, 3, 4}, {1, -2, 0.5f, 0.25f, -1.75f, 0.75f, 0.5f, -2.5f, 1.25f, -1.75f, 0.75f, 0.5f}}));

  ModelBuilder placed = model({"ids", "", "words", "places", "", "g", "o", "", "positions"}, {"y", "counts"});
  placed.IntegerInput("positions", {1, 3});
  const std::vector<Tensor> others = placed.Run({{{1, 3}, {2, 0, 1}}, {{1, 3}, {4, 3, 1}}});
  expect_near(others[0], {-1.487168f, -2.301593f, 0.6030974f, -1.221682f, 0.4728959f, -0.1054149f, 0.4397587f,
                          0.8052287f, -0.5929939f, -0.2210183f, 0.8429939f, -0.07125759f});
  EXPECT_EQ(others[1], Tensor(quant::Int64Tensor{{1}, {0}}));

  ModelBuilder wide = model({"ids", "", "words", "places", "", "g", "o", "mask"}, {"y", "counts"});
  wide.IntegerInput("mask", {1, 4});
  EXPECT_EQ(wide.ImportLabel(), "model_shape");
  ModelBuilder list = model({"ids", "", "words", "g", "", "g", "o"}, {"y"});
  EXPECT_EQ(list.ImportLabel(), "model_shape");
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
  EXPECT_EQ(batch.ImportLabel(), "model_unsupported_attribute");
  ModelBuilder alpha;
  alpha.Input("a", {2, 2})
      .Output("y")
      .Node("FusedMatMul", {"a", "a"}, {"y"})
      .Domain(kMicrosoft)
      .Float("alpha", -1);
  EXPECT_EQ(alpha.ImportLabel(), "model_unsupported_attribute");
  ModelBuilder domain;
  domain.Input("a", {2, 2}).Output("y").Node("BiasGelu", {"a", "a"}, {"y"});
  EXPECT_EQ(domain.ImportLabel(), "model_unsupported_operator") << "in ONNX's own domain";
}

}  // namespace
}  // namespace tally::onnx
