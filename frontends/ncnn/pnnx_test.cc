// Layers and parameters as pnnx and ncnn's converters write them today. The values are those of ncnn's own
// library, or counted by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "frontends/ncnn/expression.h"
#include "frontends/ncnn/testing/ncnn_writer.h"

namespace tally::ncnn {
namespace {

using Blob = std::vector<int64_t>;
using Floats = std::vector<float>;
using Write = std::function<void(NcnnWriter&)>;

Floats UpTo(int count) {
  Floats floats;
  for (int i = 1; i <= count; ++i) floats.push_back(static_cast<float>(i));
  return floats;
}

NcnnWriter Net(const std::string& type, const std::string& params, const std::vector<Blob>& blobs,
               const Write& weights = {}) {
  NcnnWriter net;
  std::vector<std::string> inputs;
  for (size_t i = 0; i < blobs.size(); ++i) {
    inputs.push_back("x" + std::to_string(i));
    net.Input(inputs.back(), blobs[i]);
  }
  net.Layer(type, inputs, {"y"}, params);
  if (weights) weights(net);
  return net;
}

Floats Of(const std::string& type, const std::string& params,
          const std::vector<std::pair<Blob, Floats>>& inputs, const Write& weights = {}) {
  std::vector<Blob> blobs;
  std::vector<Floats> values;
  for (const auto& [blob, floats] : inputs) {
    blobs.push_back(blob);
    values.push_back(floats);
  }
  const auto outputs = Net(type, params, blobs, weights).Run(values);
  return outputs.empty() ? Floats() : outputs[0];
}

quant::Shape ShapeOf(const NcnnWriter& net) {
  const auto graph = net.Import();
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? graph->values[graph->outputs[0].value].type.shape : quant::Shape();
}

void ExpectNear(const Floats& got, const Floats& wanted, float error = 1e-5f) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], error) << i;
}

TEST(ImportPnnx, AConvolutionOfAListIsADenseLayer) {
  const auto w = [](NcnnWriter& net) { net.Tagged({1, 2, 3, 4, 5, 6}).Raw({10, 20}); };
  EXPECT_EQ(Of("Convolution", "0=2 1=1 5=1 6=6", {{{3}, {1, 1, 1}}}, w), (Floats{16, 35}));
  EXPECT_EQ(ShapeOf(Net("Convolution", "0=2 1=1 5=1 6=6", {{3}}, w)), (quant::Shape{1, 2}));
  EXPECT_EQ(Net("Convolution", "0=2 1=1 5=1 6=6", {{4}}, w).ImportLabel(), "model_shape");
  EXPECT_EQ(Net("Convolution", "0=1 1=2 6=4", {{1}},
                [](auto& n) {
                  n.Tagged({1, 2, 3, 4});
                })
                .ImportLabel(),
            "model_shape");
}

TEST(ImportPnnx, SizesOfAnInputInAnotherOrderComeWithAHint) {
  const auto status =
      Net("Convolution", "0=1 1=3 6=27", {{12, 12, 3}}, [](auto& net) { net.Tagged(Floats(27, 1)); })
          .Import()
          .status();
  EXPECT_EQ(ErrorLabel(status), "model_shape");
  EXPECT_NE(status.message().find("--shape x0=1,3,12,12"), std::string_view::npos) << status;
}

TEST(ImportPnnx, PointsOfImagesAreApartByTheRatioOfSizes) {
  const std::pair<Blob, Floats> image = {{1, 5, 5}, UpTo(25)};
  ExpectNear(Of("Interp", "0=2 1=0.5 2=0.5", {image}), {5.5f, 8, 18, 20.5f});
  ExpectNear(Of("Interp", "0=1 1=0.5 2=0.5", {image}), {1, 3, 11, 13});  // nearest ones are 1 / scale apart
  EXPECT_EQ(Of("Interp", "0=1 9=\"*(0w,2),0h\"", {{{1, 1, 2}, {1, 2}}}), (Floats{1, 1, 2, 2}));
}

TEST(ImportPnnx, WhatTheLastWindowLacksCountsWherePadsDo) {
  const std::pair<Blob, Floats> image = {{1, 4, 4}, UpTo(16)};
  ExpectNear(Of("Pooling", "0=1 1=3 2=2 6=1", {image}), {6, 45.0f / 9, 72.0f / 9, 54.0f / 9});
  ExpectNear(Of("Pooling", "0=1 1=3 2=2", {image}), {6, 7.5f, 12, 13.5f});
}

// score = 1 / (1 + exp(-b) (1 + exp(-c))) with b = 0.5 and c = 0.7.
TEST(ImportPnnx, ScoresOfYolov3AreThoseOfItsCode) {
  const auto rows =
      Net("Yolov3DetectionOutput", "0=1 1=1 2=0.1 -23304=2,10.0,10.0 -23305=1,0 -23306=1,16.0", {{6, 1, 1}})
          .Run({{0, 0, 0, 0, 0.5f, 0.7f}});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_NEAR(rows[0][1], 1 / (1 + std::exp(-0.5) * (1 + std::exp(-0.7))), 1e-5);
}

TEST(ImportPnnx, MatricesAndVectorsAreMultiplied) {
  const std::pair<Blob, Floats> a = {{2, 2}, {1, 2, 3, 4}}, b = {{2, 2}, {5, 6, 7, 8}}, v = {{2}, {1, 10}};
  EXPECT_EQ(Of("MatMul", "", {a, b}), (Floats{19, 22, 43, 50}));
  EXPECT_EQ(Of("MatMul", "0=1", {a, b}), (Floats{17, 23, 39, 53}));
  EXPECT_EQ(Of("MatMul", "", {a, v}), (Floats{21, 43}));
  EXPECT_EQ(Of("MatMul", "", {v, a}), (Floats{31, 42}));
  EXPECT_EQ(Of("MatMul", "", {v, v}), (Floats{101}));
  EXPECT_EQ(Of("MatMul", "", {{{1, 2, 2}, {1, 2, 3, 4}}, {{2, 2, 1}, {1, 1, 2, 3}}}), (Floats{3, 7, 8, 18}));
  EXPECT_EQ(ShapeOf(Net("MatMul", "", {{2, 2}, {2}})), (quant::Shape{1, 2}));
  EXPECT_EQ(ShapeOf(Net("MatMul", "", {{2}, {2}})), (quant::Shape{1, 1}));
  EXPECT_EQ(ShapeOf(Net("MatMul", "", {{3, 2, 4}, {4, 5}})), (quant::Shape{1, 3, 2, 5}));
}

TEST(ImportPnnx, AxesComeAndGo) {
  EXPECT_EQ(ShapeOf(Net("Squeeze", "-23303=1,1", {{3, 1, 2}})), (quant::Shape{1, 3, 2}));
  EXPECT_EQ(ShapeOf(Net("Squeeze", "-23303=2,0,1", {{3, 1, 2}})), (quant::Shape{1, 3, 2}));  // 3 stays
  EXPECT_EQ(ShapeOf(Net("Squeeze", "0=1 2=1", {{1, 3, 1}})), (quant::Shape{1, 3}));
  EXPECT_EQ(ShapeOf(Net("Squeeze", "0=1 1=1", {{1, 1}})), (quant::Shape{1, 1}));
  EXPECT_EQ(ShapeOf(Net("ExpandDims", "-23303=1,0", {{3}})), (quant::Shape{1, 1, 3}));
  EXPECT_EQ(ShapeOf(Net("ExpandDims", "-23303=2,0,-1", {{3}})), (quant::Shape{1, 1, 3, 1}));
  EXPECT_EQ(Of("Flip", "-23300=1,1", {{{2, 2}, UpTo(4)}}), (Floats{2, 1, 4, 3}));
  EXPECT_EQ(Of("Flip", "-23300=2,0,-1", {{{2, 2}, UpTo(4)}}), (Floats{4, 3, 2, 1}));
  EXPECT_EQ(Of("CumulativeSum", "0=0", {{{2, 2}, UpTo(4)}}), (Floats{1, 2, 4, 6}));
  EXPECT_EQ(Of("CumulativeSum", "0=1", {{{3}, UpTo(3)}}), (Floats{1, 3, 6}));
  ExpectNear(Of("GLU", "0=0", {{{2, 2}, {4, 6, 0, 0}}}), {2, 3});
  EXPECT_EQ(Net("GLU", "0=0", {{3, 2}}).ImportLabel(), "model_shape");
}

TEST(ImportPnnx, WindowsBecomeColumns) {
  EXPECT_EQ(Of("Unfold", "1=2", {{{1, 2, 3}, UpTo(6)}}), (Floats{1, 2, 2, 3, 4, 5, 5, 6}));
  EXPECT_EQ(Of("Unfold", "1=1 11=2 14=1 16=0 4=0 15=0 18=9.0", {{{1, 1, 2}, {1, 2}}}), (Floats{9, 9, 1, 2}));
  // 2^20 windows of as many elements are refused before they are counted up.
  EXPECT_EQ(Net("Unfold", "1=1048576 11=1 4=1048576 14=0", {{1, 1, 4}}).ImportLabel(), "model_too_large");
}

TEST(ImportPnnx, OperationsOfTwoFrom12On) {
  const std::pair<Blob, Floats> a = {{4}, {7, -7, 1, 5}}, b = {{4}, {3, 3, 2, -2}};
  ExpectNear(Of("BinaryOp", "0=12", {a, b}), {1, -1, 1, 1});
  ExpectNear(Of("BinaryOp", "0=13", {b, a}), {1, -1, 1, 1});
  ExpectNear(Of("BinaryOp", "0=14", {{{1}, {1}}, {{1}, {2}}}), {std::log(std::exp(1.0f) + std::exp(2.0f))});
  ExpectNear(Of("BinaryOp", "0=15", {a, b}), {2, -3, 0, -3});
  ExpectNear(Of("BinaryOp", "0=16", {b, a}), {2, -3, 0, -3});
  ExpectNear(Of("BinaryOp", "0=17", {a, b}), {1, -1, 1, 1});
  ExpectNear(Of("BinaryOp", "0=18", {b, a}), {1, -1, 1, 1});
  // Angles in every eighth of the circle, between them, and of no point at all.
  std::vector<float> x, y, angles;
  for (int i = -8; i < 8; ++i) {
    angles.push_back(static_cast<float>(i == -8 ? 8 : i) * std::numbers::pi_v<float> / 8);
    x.push_back(2 * std::cos(angles.back()));
    y.push_back(i % 8 == 0 ? 0 : 2 * std::sin(angles.back()));
  }
  x.push_back(0), y.push_back(0), angles.push_back(0);
  ExpectNear(Of("BinaryOp", "0=10", {{{17}, y}, {{17}, x}}), angles);
  ExpectNear(Of("BinaryOp", "0=11", {{{17}, x}, {{17}, y}}), angles);
}

TEST(ImportPnnx, IdsChooseRows) {
  const auto table = [](NcnnWriter& net) { net.Tagged({1, 2, 3, 4, 5, 6}).Raw({10, 20}); };
  EXPECT_EQ(Of("Embed", "0=2 1=3 2=1 3=6", {{{3}, {2, 0, 1}}}, table), (Floats{15, 26, 11, 22, 13, 24}));
  EXPECT_EQ(Of("Embed", "0=2 1=3 3=6 18=2", {{{1}, {1}}},
               [](NcnnWriter& net) {
                 net.Codes({1, 2, 3, 4, 5, 6}).Raw({2});
               }),
            (Floats{1.5f, 2}));
  EXPECT_EQ(Net("Embed", "0=2 1=3 3=5", {{3}}, table).ImportLabel(), "model_malformed");
  NcnnWriter computed;
  computed.Input("x", {2})
      .Layer("ReLU", {"x"}, {"r"})
      .Layer("Embed", {"r"}, {"y"}, "0=1 1=2 3=2")
      .Tagged({1, 2});
  EXPECT_EQ(computed.ImportLabel(), "model_unsupported_operand");
}

TEST(ImportPnnx, NormsAndActivations) {
  ExpectNear(Of("RMSNorm", "0=2 1=0.0", {{{1, 2}, {3, 4}}},
                [](auto& net) {
                  net.Raw({1, 2});
                }),
             {3 / std::sqrt(12.5f), 8 / std::sqrt(12.5f)});
  ExpectNear(Of("RMSNorm", "0=4 1=0.0 2=0", {{{1, 2, 2}, {1, 1, 1, 1}}}), {1, 1, 1, 1});
  ExpectNear(Of("CELU", "0=2.0", {{{2}, {-2, 3}}}), {2 * (std::exp(-1.0f) - 1), 3});
}

TEST(ImportPnnx, HeadsAttend) {
  // Queries of 0 weigh alike all keys that they see; two heads share a key.
  const std::pair<Blob, Floats> q = {{2, 1, 1}, {0, 0}}, k = {{1, 2, 1}, {5, 9}}, v = {{1, 2, 1}, {4, 8}};
  ExpectNear(Of("SDPA", "", {q, k, v}), {6, 6});
  ExpectNear(Of("SDPA", "5=1", {q, k, v, {{1, 2}, {0, -1e9f}}}), {4, 4});
  ExpectNear(Of("SDPA", "5=1", {q, k, v, {{2, 1, 2}, {0, -1e9f, -1e9f, 0}}}), {4, 8});
  ExpectNear(Of("SDPA", "7=1", {q, k, v, {{1, 1, 1}, {0}}, {{1, 1, 1}, {0}}}), {4, 4});
  // One feature of 1: softmax of 3 and 5 times the scale.
  const float share = 1 / (1 + std::exp(0.5f * 2));
  ExpectNear(Of("SDPA", "6=0.5", {{{1, 1, 1}, {1}}, {{1, 2, 1}, {3, 5}}, {{1, 2, 1}, {1, 0}}}), {share});
  EXPECT_EQ(Net("SDPA", "", {{3, 1, 1}, {2, 2, 1}, {2, 2, 1}}).ImportLabel(), "model_shape");
  const std::pair<Blob, Floats> x = {{1, 1, 4}, {1, 2, 3, 4}}, cos = {{1, 2}, {0, 1}}, sin = {{1, 2}, {1, 0}};
  ExpectNear(Of("RotaryEmbed", "", {x, cos, sin}), {-3, 2, 1, 4});
  ExpectNear(Of("RotaryEmbed", "0=1", {x, cos, sin}), {-2, 1, 3, 4});
}

// Two units, whose state is projected to one number, beside the definition of a step.
TEST(ImportPnnx, AnLstmMayProjectItsState) {
  const Floats w = {1, -0.5f, 0.25f, 2, -1, 0.5f, 1, 0.75f},
               bias = {0.1f, 0.2f, 0, -0.1f, 0.3f, 0, 0.2f, 0.1f},
               r = {0.5f, 1, -1, 0.25f, 0.75f, -0.5f, 1, -2}, projection = {0.5f, -1.5f}, x = {1, -1, 0.5f};
  Floats states, last_cell(2);
  float h = 0;
  const auto sigmoid = [](float v) { return 1 / (1 + std::exp(-v)); };
  for (const float x_t : x) {
    float next = 0;
    for (size_t u = 0; u < 2; ++u) {
      const auto sum = [&](size_t gate) {
        return w[2 * gate + u] * x_t + bias[2 * gate + u] + r[2 * gate + u] * h;
      };
      float& c = last_cell[u];
      c = sigmoid(sum(1)) * c + sigmoid(sum(0)) * std::tanh(sum(3));
      next += projection[u] * sigmoid(sum(2)) * std::tanh(c);
    }
    states.push_back(h = next);
  }
  NcnnWriter net;
  net.Input("x", {3, 1}).Layer("LSTM", {"x"}, {"y", "h", "c"}, "0=1 1=8 2=0 3=2");
  net.Tagged(w).Tagged(bias).Tagged(r).Tagged(projection);
  const auto results = net.Run({x});
  ASSERT_EQ(results.size(), 3u);
  ExpectNear(results[0], states);
  ExpectNear(results[1], {states.back()});
  ExpectNear(results[2], last_cell);
}

TEST(ImportPnnx, SequencesMayStateTheirUnitsAndHaveCodes) {
  const auto lstm = [](const std::string& more, const Write& weights) {
    return Of("LSTM", "0=1 1=4 2=0 " + more, {{{2, 1}, {1, -1}}}, weights);
  };
  const auto floats = [](NcnnWriter& net) {
    net.Tagged({1, 0.5f, -1, 1}).Tagged({0, 0, 0, 0}).Tagged({0.5f, 0.5f, 0.5f, 0.5f});
  };
  const Floats plain = lstm("", floats);
  EXPECT_EQ(lstm("3=1", floats), plain);
  const Floats coded = lstm("8=1", [](NcnnWriter& net) {
    net.Codes({100, 50, -100, 100}).Tagged({0, 0, 0, 0}).Codes({50, 50, 50, 50});
    net.Raw(Floats(4, 100)).Raw(Floats(4, 100));
  });
  ExpectNear(coded, plain);
  const auto attention = [](const std::string& more, bool codes) {
    return Of("MultiHeadAttention", "0=1 1=1 2=1 " + more, {{{1, 1}, {3}}}, [codes](NcnnWriter& net) {
      for (int i = 0; i < 4; ++i) codes ? net.Codes({50}).Raw({1}) : net.Tagged({0.5f}).Raw({1});
      if (codes) net.Raw({100, 100, 100, 100});
    });
  };
  ExpectNear(attention("18=2", true), attention("", false));
}

TEST(ImportPnnx, SizesAreComputed) {
  const std::vector<quant::Shape> blobs = {{3, 4, 5}, {7}};
  const auto sizes = [&](const char* text) { return *EvaluateSizes(text, blobs); };
  using List = std::vector<int64_t>;
  EXPECT_EQ(sizes("0w,0h,0c,1w,1h"), (List{5, 4, 3, 7, 1}));
  EXPECT_EQ(sizes("*(0w,2),-1"), (List{10, -1}));
  EXPECT_EQ(sizes("//(0w,2),//(-(0,0w),2),/(0w,2),ceil(/(0w,2))"), (List{2, -2, 2, 3}));
  EXPECT_EQ(sizes("max(0w,+(0h,2)),min(0w,0h),neg(0c),abs(-2)"), (List{6, 4, -3, 2}));
  for (const char* text : {"+(0w)", "2w", "//(0w,0)", "*(9999999999,9999999999)", "/(1,0)"})
    EXPECT_EQ(ErrorLabel(EvaluateSizes(text, blobs).status()), "model_malformed") << text;
  EXPECT_EQ(ErrorLabel(EvaluateSizes("atan2(0w,0h)", blobs).status()), "model_unsupported_attribute");
  EXPECT_EQ(ShapeOf(Net("Reshape", "6=\"*(0w,0h),0c\"", {{3, 4, 5}})), (quant::Shape{1, 3, 20}));
  EXPECT_EQ(Of("Crop", "19=\"1\" 20=\"-(0w,1)\" 21=\"1\"", {{{1, 4}, UpTo(4)}}), (Floats{2, 3}));
  EXPECT_EQ(Net("Reshape", "0=4 12=0", {{4}}).ImportLabel(), "model_unsupported_attribute");
}

TEST(ImportPnnx, StatedShapesAreThoseOfTheLayer) {
  const auto label = [](const std::string& of_input, const std::string& of_relu) {
    NcnnWriter net;
    net.Layer("Input", {}, {"x"}, "0=4 1=3 " + of_input).Layer("ReLU", {"x"}, {"y"}, of_relu);
    return net.ImportLabel();
  };
  EXPECT_EQ(label("-23330=4,2,4,3,1", "-23330=4,2,4,3,1"), "");
  EXPECT_EQ(label("", "-23330=4,0,0,0,0"), "");  // which says nothing
  EXPECT_EQ(label("-23330=4,2,4,9,1", ""), "model_shape");
  EXPECT_EQ(label("", "-23330=4,2,4,9,1"), "model_shape");
  EXPECT_EQ(label("", "-23330=2,2,4"), "model_malformed");
}

}  // namespace
}  // namespace tally::ncnn
