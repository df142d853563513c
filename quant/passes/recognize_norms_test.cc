#include "quant/passes/recognize_norms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"
#include "quant/graph/testing/ops_of.h"

namespace tally::quant {
namespace {

using F = RecipeFunction;

// The ways in which exporters write a norm out.
struct Style {
  bool centred = true;
  bool twice = false;       // the centred values are computed for each reader
  bool by_product = false;  // squares, and the division as a product with the reciprocal
  int weights = 2;          // a scale, and a bias
  bool shows_variance = false;
  std::vector<int64_t> axes_of_mean = {2};
};

Graph Norm(const Style& style) {
  GraphBuilder b("norm");
  const auto add = [&](const Op& op, std::vector<ValueId> operands) {
    return *b.AddNode(op, std::move(operands), std::string(OpName(op)), "node");
  };
  const auto constant = [&](FloatTensor tensor) { return *b.AddConstant("c", std::move(tensor)); };
  const ReduceSum mean = {.axes = {2}, .is_mean = true};
  const ValueId x = *b.AddInput("x", {2, 3, 4});
  const ReduceSum first_mean = {.axes = style.axes_of_mean, .is_mean = true};
  const auto centred = [&] { return style.centred ? add(Sub{}, {x, add(first_mean, {x})}) : x; };
  const ValueId value = centred();
  const ValueId again = style.twice ? centred() : value;
  const ValueId squares = style.by_product ? add(Mul{}, {again, again}) : add(Unary{F::kPower, 2}, {again});
  const ValueId variance = add(mean, {squares});
  const ValueId root = add(Unary{F::kSqrt}, {add(Add{}, {variance, constant({{1}, {1e-3f}})})});
  ValueId y =
      style.by_product ? add(Mul{}, {value, add(Unary{F::kReciprocal}, {root})}) : add(Div{}, {value, root});
  if (style.weights > 0) y = add(Mul{}, {constant({{4}, {1, 2, -3, 0.5f}}), y});
  if (style.weights > 1) y = add(Add{}, {y, constant({{4}, {0, 1, 2, 3}})});
  b.AddOutput(y, "y");
  if (style.shows_variance) b.AddOutput(variance, "variance");
  return *std::move(b).Build();
}

// The ops that are left, after it was seen that they compute the same.
std::string Recognized(const Graph& before, const Shape& shape = {2, 3, 4}) {
  const auto after = RecognizeNorms(before);
  EXPECT_TRUE(after.ok() && Verify(*after).ok());
  FloatTensor sample{shape, {}};
  for (int i = 0; i < NumElements(shape); ++i) sample.data.push_back(std::sin(static_cast<float>(i * i)) * 3);
  const std::vector<FloatTensor> samples = {sample};
  const auto a = std::get<FloatTensor>((*RunGraph(before, samples))[0]);
  const auto b = std::get<FloatTensor>((*RunGraph(*after, samples))[0]);
  for (size_t i = 0; i < a.data.size(); ++i) EXPECT_NEAR(a.data[i], b.data[i], 1e-5);
  return OpsOf(*after);
}

std::string Recognized(const Style& style) { return Recognized(Norm(style)); }

TEST(RecognizeNorms, LayerNormHoweverItIsWritten) {
  for (const bool twice : {false, true}) {
    for (const bool by_product : {false, true}) {
      for (const int weights : {0, 1, 2}) {
        EXPECT_EQ(Recognized({true, twice, by_product, weights}), "LayerNorm")
            << twice << by_product << weights;
      }
    }
  }
}

// Sums without their axes times 1 / n, the variance as a difference bounded by 0, and both reshaped; as Flax
// writes it through jax2tf. `reshaped`: to what the statistics of [2, 3, 4] are reshaped.
Graph FlaxNorm(const Shape& reshaped) {
  GraphBuilder b("flax");
  const auto add = [&](const Op& op, std::vector<ValueId> operands) {
    return *b.AddNode(op, std::move(operands), std::string(OpName(op)), "node");
  };
  const auto constant = [&](FloatTensor tensor) { return *b.AddConstant("c", std::move(tensor)); };
  const ReduceSum sum = {.axes = {2}, .keep_dimensions = false};
  const ValueId x = *b.AddInput("x", {2, 3, 4}), quarter = constant({{1}, {0.25f}});
  const ValueId mean = add(Mul{}, {add(sum, {x}), quarter});
  const ValueId squares = add(Mul{}, {add(sum, {add(Mul{}, {x, x})}), quarter});
  const ValueId spread = add(Sub{}, {squares, add(Mul{}, {mean, mean})});
  const ValueId variance = add(Reshape{reshaped}, {add(Max{}, {constant({{1}, {0}}), spread})});
  const ValueId root = add(Unary{F::kSqrt}, {add(Add{}, {variance, constant({{1}, {1e-3f}})})});
  const ValueId k = add(Mul{}, {add(Unary{F::kReciprocal}, {root}), constant({{4}, {1, 2, -3, 0.5f}})});
  const ValueId centred = add(Sub{}, {x, add(Reshape{reshaped}, {mean})});
  const ValueId scaled = add(Mul{}, {centred, k});
  b.AddOutput(add(Add{}, {scaled, constant({{4}, {0, 1, 2, 3}})}), "y");
  return *std::move(b).Build();
}

TEST(RecognizeNorms, LayerNormAsFlaxWritesIt) { EXPECT_EQ(Recognized(FlaxNorm({2, 3, 1})), "LayerNorm"); }

// x k + (bias - mean k): `other` as the mean of the shift, or as the k of the product.
Graph KerasNorm(bool has_scale, const std::string& other = "") {
  GraphBuilder b("keras");
  const auto add = [&](const Op& op, std::vector<ValueId> operands) {
    return *b.AddNode(op, std::move(operands), std::string(OpName(op)), "node");
  };
  const auto constant = [&](FloatTensor tensor) { return *b.AddConstant("c", std::move(tensor)); };
  const ReduceSum mean = {.axes = {2}, .is_mean = true};
  const ValueId x = *b.AddInput("x", {2, 3, 4}), mu = add(mean, {x}), d = add(Sub{}, {x, mu});
  const ValueId variance = add(Add{}, {add(mean, {add(Mul{}, {d, d})}), constant({{1}, {1e-3f}})});
  ValueId k = add(Unary{F::kReciprocal}, {add(Unary{F::kSqrt}, {variance})});
  if (has_scale) k = add(Mul{}, {k, constant({{4}, {1, 2, -3, 0.5f}})});
  const ValueId of_shift = other == "extreme" ? add(ReduceExtreme{{2}}, {x})
                           : other == "mean"  ? add(mean, {add(Relu{}, {x})})
                                              : mu;
  const ValueId of_product = other == "factor" ? add(Relu{}, {k}) : k;
  const ValueId shift = add(Sub{}, {constant({{4}, {0, 1, 2, 3}}), add(Mul{}, {of_shift, k})});
  b.AddOutput(add(Add{}, {shift, add(Mul{}, {x, of_product})}), "y");
  return *std::move(b).Build();
}

TEST(RecognizeNorms, LayerNormAsKerasWritesIt) {
  EXPECT_EQ(Recognized(KerasNorm(true)), "LayerNorm");
  EXPECT_EQ(Recognized(KerasNorm(false)), "LayerNorm");
  for (const char* other : {"extreme", "mean", "factor"})
    EXPECT_EQ(Recognized(KerasNorm(true, other)).find("LayerNorm"), std::string::npos) << other;
}

// In a square of values, statistics without their axis broadcast along another one.
TEST(RecognizeNorms, StatisticsThatLackTheirAxisStay) {
  GraphBuilder b("square");
  const auto add = [&](const Op& op, std::vector<ValueId> operands) {
    return *b.AddNode(op, std::move(operands), std::string(OpName(op)), "node");
  };
  const ReduceSum mean = {.axes = {1}, .keep_dimensions = false, .is_mean = true};
  const ValueId x = *b.AddInput("x", {4, 4}), d = add(Sub{}, {x, add(mean, {x})});
  const ValueId epsilon = *b.AddConstant("epsilon", FloatTensor{{1}, {1e-3f}});
  const ValueId variance = add(Add{}, {add(mean, {add(Mul{}, {d, d})}), epsilon});
  b.AddOutput(add(Div{}, {d, add(Unary{F::kSqrt}, {variance})}), "y");
  EXPECT_EQ(Recognized(*std::move(b).Build(), {4, 4}).find("Norm"), std::string::npos);
}

TEST(RecognizeNorms, RootMeanSquares) {
  for (const bool by_product : {false, true}) {
    EXPECT_EQ(Recognized({false, false, by_product, 1}), "RmsNorm");
  }
}

// A value whose mean over the axes of its squares is not 0 is only divided.
TEST(RecognizeNorms, AMeanOverOtherAxesStays) {
  EXPECT_EQ(Recognized({.weights = 0, .axes_of_mean = {1}}), "ReduceSum Sub RmsNorm");
}

TEST(RecognizeNorms, KeepsTheWeights) {
  const auto after = RecognizeNorms(Norm({}));
  const Node& norm = after->nodes.back();
  ASSERT_EQ(norm.operands.size(), 3u);
  EXPECT_EQ(std::get<LayerNorm>(norm.op), (LayerNorm{{2}, 1e-3f}));
  EXPECT_EQ(std::get<FloatTensor>(*ConstantOf(*after, norm.operands[1])).data[2], -3);
  EXPECT_EQ(std::get<FloatTensor>(*ConstantOf(*after, norm.operands[2])).data[3], 3);
}

TEST(RecognizeNorms, LeavesWhatSomethingElseReads) {
  EXPECT_NE(Recognized({.shows_variance = true}).find("Div"), std::string::npos);
}

// How flax writes a layer norm: the mean of squares less the square of the mean, bounded by 0; means as sums
// times 1 / 4; and the scale in front of the product.
struct FlaxStyle {
  float part = 0.25f;  // a mean as a share of the sum
  float bound = 0;     // from below
  bool bounds = true;
  bool scales = true;
  int64_t axis = 2;  // the mean that is taken off is along it
};

Graph Flax(const FlaxStyle& style) {
  GraphBuilder b("flax");
  const auto add = [&](const Op& op, std::vector<ValueId> operands) {
    return *b.AddNode(op, std::move(operands), std::string(OpName(op)), "node");
  };
  const auto constant = [&](FloatTensor tensor) { return *b.AddConstant("c", std::move(tensor)); };
  const auto mean = [&](ValueId value, int64_t axis) {
    return add(Mul{}, {add(ReduceSum{.axes = {axis}}, {value}), constant({{}, {style.part}})});
  };
  const ValueId x = *b.AddInput("x", {2, 4, 4});
  const ValueId mu = mean(x, style.axis);
  ValueId variance = add(Sub{}, {mean(add(Mul{}, {x, x}), 2), add(Mul{}, {mu, mu})});
  if (style.bounds) variance = add(Max{}, {variance, constant({{}, {style.bound}})});
  const ValueId root = add(Unary{F::kSqrt}, {add(Add{}, {variance, constant({{}, {1e-3f}})})});
  ValueId factor = add(Unary{F::kReciprocal}, {root});
  if (style.scales) factor = add(Mul{}, {factor, constant({{4}, {1, 2, -3, 0.5f}})});
  const ValueId y = add(Mul{}, {add(Sub{}, {x, mu}), factor});
  b.AddOutput(add(Add{}, {y, constant({{4}, {0, 1, 2, 3}})}), "y");
  return *std::move(b).Build();
}

std::string Recognized(const FlaxStyle& style) { return Recognized(Flax(style), {2, 4, 4}); }

TEST(RecognizeNorms, LayerNormByTheMeanOfSquares) {
  EXPECT_EQ(Recognized(FlaxStyle{}), "LayerNorm");
  EXPECT_EQ(Recognized(FlaxStyle{.bounds = false}), "LayerNorm");
  // A bias alone is no weight of a norm, whose first is a scale.
  EXPECT_EQ(Recognized(FlaxStyle{.scales = false}), "LayerNorm Add");
}

TEST(RecognizeNorms, WhatIsNearlyAMeanOrAVarianceStays) {
  for (const FlaxStyle& style : {FlaxStyle{.part = 0.24f}, FlaxStyle{.bound = 0.5f}, FlaxStyle{.axis = 1}}) {
    EXPECT_EQ(Recognized(style).find("Norm"), std::string::npos);
  }
}

// How Keras writes it: the statistics go through a list and back, as a batch normalization takes them.
TEST(RecognizeNorms, LayerNormByReshapedStatistics) {
  GraphBuilder b("keras");
  const auto add = [&](const Op& op, std::vector<ValueId> operands) {
    return *b.AddNode(op, std::move(operands), std::string(OpName(op)), "node");
  };
  const ValueId x = *b.AddInput("x", {2, 3, 4});
  const ReduceSum mean = {.axes = {2}, .is_mean = true};
  const ValueId mu = add(mean, {x});
  const ValueId centred = add(Sub{}, {x, mu});
  const ValueId variance = add(mean, {add(Mul{}, {centred, centred})});
  const auto there_and_back = [&](ValueId value) {
    return add(Reshape{{2, 3, 1}}, {add(Reshape{{6}}, {value})});
  };
  const ValueId epsilon = *b.AddConstant("epsilon", FloatTensor{{1}, {1e-3f}});
  const ValueId root = add(Unary{F::kSqrt}, {add(Add{}, {there_and_back(variance), epsilon})});
  b.AddOutput(add(Div{}, {add(Sub{}, {x, there_and_back(mu)}), root}), "y");
  EXPECT_EQ(Recognized(*std::move(b).Build()), "LayerNorm");
}

// x / max(|x|, bound), with |x| repeated along the axis or not.
Graph Unit(float bound, bool expands, bool is_mean = false) {
  GraphBuilder b("unit");
  const auto add = [&](const Op& op, std::vector<ValueId> operands) {
    return *b.AddNode(op, std::move(operands), std::string(OpName(op)), "node");
  };
  const ValueId x = *b.AddInput("x", {2, 3, 4});
  const ValueId sum = add(ReduceSum{.axes = {1}, .is_mean = is_mean}, {add(Mul{}, {x, x})});
  ValueId length = add(Clip{bound, std::numeric_limits<float>::infinity()}, {add(Unary{F::kSqrt}, {sum})});
  if (expands) length = add(Expand{{2, 3, 4}}, {length});
  b.AddOutput(add(Div{}, {x, length}), "y");
  return *std::move(b).Build();
}

TEST(RecognizeNorms, VectorsOfLengthOne) {
  for (const bool expands : {false, true}) EXPECT_EQ(Recognized(Unit(1e-12f, expands)), "RmsNorm");
  const auto after = RecognizeNorms(Unit(1e-12f, true));
  const RmsNorm& norm = std::get<RmsNorm>(after->nodes.back().op);
  EXPECT_EQ(norm.axes, std::vector<int64_t>{1});
  EXPECT_FLOAT_EQ(norm.epsilon, 1e-24f / 3) << "so that zeros stay zeros";
  const FloatTensor& scale = std::get<FloatTensor>(*ConstantOf(*after, after->nodes.back().operands[1]));
  EXPECT_FLOAT_EQ(scale.data[0], 1 / std::sqrt(3.0f));
}

TEST(RecognizeNorms, ABoundThatMattersStays) {
  EXPECT_EQ(Recognized(Unit(0.5f, false)), "Mul ReduceSum Unary Clip Div");
  EXPECT_EQ(Recognized(Unit(1e-12f, false, /*is_mean=*/true)), "Mul ReduceSum Unary Clip Div");
}

}  // namespace
}  // namespace tally::quant
