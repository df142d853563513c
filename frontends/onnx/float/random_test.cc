// Draws are of our own generator: what is tested is that they are spread as ONNX says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;

constexpr int64_t kDraws = 20000;

std::vector<float> Floats(const ModelBuilder& model, const std::vector<FloatTensor>& inputs = {{{1}, {0}}}) {
  return std::get<FloatTensor>(model.Run(inputs).at(0)).data;
}

double MeanOf(const std::vector<float>& x) {
  double sum = 0;
  for (const float v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

// A graph has an input, which is added to what is drawn.
ModelBuilder Drawn(const std::string& op, const std::vector<std::pair<std::string, float>>& attributes) {
  ModelBuilder model(15);
  model.Input("x", {1}).Output("y");
  NodeBuilder node = model.Node(op, {}, {"drawn"});
  node.Ints("shape", {kDraws});
  for (const auto& [name, value] : attributes) node.Float(name, value);
  model.Node("Add", {"drawn", "x"}, {"y"});
  return model;
}

TEST(ImportRandom, UniformAndNormalAreSpreadAsTheirParametersSay) {
  const std::vector<float> uniform = Floats(Drawn("RandomUniform", {{"low", -3}, {"high", 5}}));
  EXPECT_GE(*std::ranges::min_element(uniform), -3);
  EXPECT_LE(*std::ranges::max_element(uniform), 5);
  EXPECT_NEAR(MeanOf(uniform), 1, 6 * 8 / std::sqrt(12.0 * kDraws));
  const std::vector<float> normal = Floats(Drawn("RandomNormal", {{"mean", 2}, {"scale", 3}}));
  EXPECT_NEAR(MeanOf(normal), 2, 6 * 3 / std::sqrt(1.0 * kDraws));
  std::vector<float> squares;
  for (const float v : normal) squares.push_back((v - 2) * (v - 2));
  EXPECT_NEAR(MeanOf(squares), 9, 6 * 9 * std::sqrt(2.0 / kDraws));
}

TEST(ImportRandom, ASeedSaysWhatIsDrawn) {
  const std::vector<float> one = Floats(Drawn("RandomUniform", {{"seed", 1}}));
  EXPECT_EQ(one, Floats(Drawn("RandomUniform", {{"seed", 1}})));
  EXPECT_NE(one, Floats(Drawn("RandomUniform", {{"seed", 2}})));
}

TEST(ImportRandom, BernoulliAndMultinomialFollowTheirWeights) {
  ModelBuilder flags(15);
  flags.Input("p", {kDraws}).Output("y").Node("Bernoulli", {"p"}, {"y"}).Float("seed", 3);
  const std::vector<float> drawn = Floats(flags, {{{kDraws}, std::vector<float>(kDraws, 0.25f)}});
  EXPECT_NEAR(MeanOf(drawn), 0.25, 6 * std::sqrt(0.25 * 0.75 / kDraws));
  EXPECT_TRUE(std::ranges::all_of(drawn, [](float v) { return v == 0 || v == 1; }));
  ModelBuilder places(15);
  places.Input("x", {1, 3}).Output("y").Node("Multinomial", {"x"}, {"y"}).Int("sample_size", kDraws);
  const auto y =
      std::get<Int64Tensor>(places.Run({{{1, 3}, {std::log(0.5f), std::log(0.2f), std::log(0.3f)}}}).at(0));
  EXPECT_EQ(y.shape, (quant::Shape{1, kDraws}));
  for (int64_t k = 0; k < 3; ++k) {
    const double p = std::vector<double>{0.5, 0.2, 0.3}[static_cast<size_t>(k)];
    EXPECT_NEAR(static_cast<double>(std::ranges::count(y.data, k)) / kDraws, p,
                6 * std::sqrt(p * (1 - p) / kDraws));
  }
}

TEST(ImportRandom, Refusals) {
  ModelBuilder shapeless(15);
  shapeless.Input("x", {1}).Output("y").Node("RandomUniform", {}, {"y"});
  EXPECT_EQ(shapeless.ImportLabel(), "model_malformed");
  ModelBuilder integers(15);
  integers.Input("x", {1})
      .Output("y")
      .Node("RandomNormalLike", {"x"}, {"y"})
      .Int("dtype", ::onnx::TensorProto::INT32);
  EXPECT_EQ(integers.ImportLabel(), "model_unsupported_type");
}

}  // namespace
}  // namespace tally::onnx
