// Expected values are ONNX Runtime's, of the same weights and inputs.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "frontends/onnx/testing/drawn.h"
#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;

// Drawn queries, keys and values of two heads of three steps, [1, 3, 4] each.
ModelBuilder Attention(const std::vector<std::string>& inputs,
                       const std::vector<std::string>& outputs = {"y"}) {
  ModelBuilder model;
  model.Input("x", {1, 3, 4}).Weight("w", Drawn({4, 12}, 2)).Weight("b", Drawn({12}, 3));
  model.Node("Attention", inputs, outputs).Domain("com.microsoft").Int("num_heads", 2);
  for (const std::string& output : outputs) model.Output(output);
  return model;
}

NodeBuilder Last(ModelBuilder& model) {
  return NodeBuilder(model.graph().mutable_node(model.graph().node_size() - 1));
}

// The outputs, in the order of the graph's.
std::vector<FloatTensor> FloatsOf(const ModelBuilder& model, const std::vector<FloatTensor>& inputs) {
  std::vector<FloatTensor> floats;
  for (const quant::Tensor& result : model.Run(inputs)) floats.push_back(std::get<FloatTensor>(result));
  return floats;
}

void ExpectNear(const FloatTensor& got, const quant::Shape& shape, const std::vector<float>& expected) {
  EXPECT_EQ(got.shape, shape);
  ASSERT_EQ(got.data.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(got.data[i], expected[i], 2e-6) << i;
}

const std::vector<float> kAll = {0.6968471f, -1.048498f, 0.2960684f, 0.2303678f, 0.9337465f, 1.827641f,
                                 -2.150368f, 2.269718f,  0.5203058f, 2.647428f,  0.2789289f, 0.2239399f};
const std::vector<float> kFirstTwo = {0.6869153f, -1.050806f, 0.3042177f,  0.2235034f,
                                      0.5017160f, 2.653180f,  -0.2064224f, 0.2155247f,
                                      0.5000510f, 2.686480f,  0.2798889f,  0.2231233f};
const std::vector<float> kInOrder = {0.5f,        2.6875f,    -2.0f,      0.1875f,   0.5017160f, 2.653180f,
                                     -0.2064224f, 0.2155247f, 0.5203058f, 2.647428f, 0.2789289f, 0.2239399f};

TEST(ImportAttention, IsProductsASoftmaxAndAProduct) {
  const ModelBuilder model = Attention({"x", "w", "b"});
  EXPECT_EQ(OpsOf(*model.Import()),
            "Reshape Dense Reshape Dense Reshape Dense Reshape Reshape Transpose Reshape Transpose Reshape "
            "Transpose MatMul Softmax MatMul Transpose Reshape");
  ExpectNear(FloatsOf(model, {Drawn({1, 3, 4}, 1)})[0], {1, 3, 4}, kAll);
}

TEST(ImportAttention, MasksOfKeysOfScoresAndOfLengths) {
  const struct {
    FloatTensor mask;
    std::vector<float> expected;
  } cases[] = {{{{1, 3}, {1, 1, 0}}, kFirstTwo},
               {{{1}, {2}}, kFirstTwo},
               {{{1}, {9}}, kAll},
               {{{1, 3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}}, kInOrder}};
  for (const auto& [mask, expected] : cases) {
    ModelBuilder model = Attention({"x", "w", "b", "mask"});
    model.IntegerInput("mask", mask.shape, ::onnx::TensorProto::INT32);
    ExpectNear(FloatsOf(model, {Drawn({1, 3, 4}, 1), mask})[0], {1, 3, 4}, expected);
  }
}

TEST(ImportAttention, WhatFollowsIsHidden) {
  ModelBuilder model = Attention({"x", "w", "b"});
  Last(model).Int("unidirectional", 1);
  ExpectNear(FloatsOf(model, {Drawn({1, 3, 4}, 1)})[0], {1, 3, 4}, kInOrder);
}

TEST(ImportAttention, KeysAndValuesOfThePast) {
  ModelBuilder model = Attention({"x", "w", "b", "", "past"}, {"y", "present"});
  model.Input("past", {2, 1, 2, 2, 2});
  Last(model).Int("unidirectional", 1);
  const FloatTensor past = Drawn({2, 1, 2, 2, 2}, 4);
  const std::vector<FloatTensor> results = FloatsOf(model, {Drawn({1, 3, 4}, 1), past});
  ExpectNear(results[0], {1, 3, 4},
             {-0.7161816f, 0.9347659f, -1.493018f, 0.1271767f, 0.4187903f, 2.151964f, -0.5326394f, 0.2491133f,
              0.5123734f, 2.602617f, 0.1888354f, 0.2150784f});
  ExpectNear(results[1], {2, 1, 2, 5, 2},
             {-1,     0.75f,  -0.25f, -1.25f, 2.0625f,  -2.625f,  -1.9375f, 1.125f,   -0.4375f, -2,
              0.5f,   -0.5f,  1.25f,  0.25f,  -0.4375f, -0.3125f, -0.625f,  -0.3125f, 2.625f,   -1.6875f,
              -0.75f, 1,      0,      -1,     0.5f,     2.6875f,  0.6875f,  -1.0625f, 2.25f,    -0.6875f,
              0.75f,  -0.25f, -1.25f, 0.5f,   -2,       0.1875f,  2,        0.25f,    -2.25f,   2.375f});
}

// A mask that hides little, a factor and a bias of the scores.
TEST(ImportAttention, WhatIsAddedToItsScores) {
  ModelBuilder model = Attention({"x", "w", "b", "mask", "", "bias"});
  model.IntegerInput("mask", {1, 3}, ::onnx::TensorProto::INT32).Input("bias", {1, 2, 3, 3});
  Last(model).Float("scale", 0.25f).Float("mask_filter_value", -3);
  ExpectNear(
      FloatsOf(model, {Drawn({1, 3, 4}, 1), FloatTensor{{1, 3}, {1, 1, 0}}, Drawn({1, 2, 3, 3}, 5)})[0],
      {1, 3, 4},
      {0.6937561f, -0.1032531f, 1.451089f, 0.2469464f, 0.6524394f, 0.6782543f, 1.169592f, 0.3582861f,
       0.5728952f, 1.746798f, -0.8446793f, 0.2064252f});
}

TEST(ImportAttention, ValuesOfAnotherSize) {
  ModelBuilder model;
  model.Input("x", {1, 3, 4}).Weight("w", Drawn({4, 10}, 2)).Weight("b", Drawn({10}, 3)).Output("y");
  model.Node("Attention", {"x", "w", "b"}, {"y"})
      .Domain("com.microsoft")
      .Int("num_heads", 2)
      .Ints("qkv_hidden_sizes", {4, 4, 2});
  ExpectNear(FloatsOf(model, {Drawn({1, 3, 4}, 1)})[0], {1, 3, 2},
             {1.962861f, -0.7421367f, -1.169240f, 0.4463589f, 2.529600f, 0.6070476f});
}

TEST(ImportAttention, RefusesWhatItDoesNotRead) {
  const auto label = [](const std::function<void(ModelBuilder&)>& spoil) {
    ModelBuilder model = Attention({"x", "w", "b"});
    spoil(model);
    return model.ImportLabel();
  };
  EXPECT_EQ(label([](ModelBuilder& m) { Last(m).Int("do_rotary", 1); }), "model_unsupported_attribute");
  EXPECT_EQ(label([](ModelBuilder& m) { Last(m).Float("scale", -1); }), "model_unsupported_attribute");
  EXPECT_EQ(label([](ModelBuilder& m) { m.graph().mutable_node(0)->clear_attribute(); }), "model_malformed");
  for (const int64_t heads : {0, 3, 5}) {
    EXPECT_NE(label([&](ModelBuilder& m) { m.graph().mutable_node(0)->mutable_attribute(0)->set_i(heads); }),
              "")
        << heads;
  }
  EXPECT_EQ(label([](ModelBuilder& m) { Last(m).Ints("qkv_hidden_sizes", {4, 2, 6}); }), "model_shape");
  EXPECT_EQ(label([](ModelBuilder& m) { m.graph().mutable_node(0)->set_input(1, "x"); }),
            "model_unsupported_operand");
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{2}, {1, 1, 5, 5}}) {
    ModelBuilder model = Attention({"x", "w", "b", "mask"});
    model.IntegerInput("mask", shape, ::onnx::TensorProto::INT32);
    EXPECT_EQ(model.ImportLabel(), "model_shape");
  }
}

TEST(ImportMultiHeadAttention, QueriesOfOtherKeysWithABias) {
  ModelBuilder model;
  model.Input("q", {1, 2, 4}).Input("k", {1, 3, 4}).Input("v", {1, 3, 6}).Weight("b", Drawn({14}, 4));
  model.IntegerInput("mask", {1, 3}, ::onnx::TensorProto::INT32).Output("y");
  model.Node("MultiHeadAttention", {"q", "k", "v", "b", "mask"}, {"y"})
      .Domain("com.microsoft")
      .Int("num_heads", 2);
  const FloatTensor mask = {{1, 3}, {1, 1, 0}};
  ExpectNear(FloatsOf(model, {Drawn({1, 2, 4}, 1), Drawn({1, 3, 4}, 2), Drawn({1, 3, 6}, 3), mask})[0],
             {1, 2, 6},
             {-0.2345729f, 0.5154271f, 1.180578f, -0.6770899f, 0.07291013f, 0.4219044f, -0.09450501f,
              0.6554950f, 0.5502726f, -0.6622252f, 0.08777475f, 0.3550136f});
}

TEST(ImportMultiHeadAttention, KeysAndValuesOfThePast) {
  ModelBuilder model;
  for (const char* name : {"q", "k", "v"}) model.Input(name, {1, 2, 4});
  for (const char* name : {"pk", "pv"}) model.Input(name, {1, 2, 1, 2});
  model.Node("MultiHeadAttention", {"q", "k", "v", "", "", "", "pk", "pv"}, {"y", "nk", "nv"})
      .Domain("com.microsoft")
      .Int("num_heads", 2)
      .Int("unidirectional", 1);
  model.Output("y").Output("nk").Output("nv");
  std::vector<FloatTensor> inputs;
  for (const int seed : {1, 2, 3}) inputs.emplace_back(Drawn({1, 2, 4}, seed));
  for (const int seed : {5, 6}) inputs.emplace_back(Drawn({1, 2, 1, 2}, seed));
  const std::vector<FloatTensor> results = FloatsOf(model, inputs);
  ExpectNear(
      results[0], {1, 2, 4},
      {0.7829528f, -0.2170472f, 0.2241787f, 0.4779602f, 0.5898752f, -0.4101249f, 0.2961820f, 0.1196094f});
  ExpectNear(results[1], {1, 2, 3, 2},
             {-0.25f, -1.25f, 0.25f, -0.75f, -1, 0.75f, 0.5f, -0.5f, 1, 0, -0.25f, -1.25f});
  ExpectNear(results[2], {1, 2, 3, 2},
             {0.5f, -0.5f, 1, 0, -0.25f, -1.25f, 1.25f, 0.25f, -1, 0.75f, 0.5f, -0.5f});
}

TEST(ImportMultiHeadAttention, RefusesPackedOnes) {
  ModelBuilder model;
  model.Input("qkv", {1, 2, 2, 3, 2}).Output("y");
  model.Node("MultiHeadAttention", {"qkv"}, {"y"}).Domain("com.microsoft").Int("num_heads", 2);
  EXPECT_EQ(model.ImportLabel(), "model_unsupported_operand");
}

}  // namespace
}  // namespace tally::onnx
