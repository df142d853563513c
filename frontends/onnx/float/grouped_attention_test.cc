// Expected values are ONNX Runtime's.
#include <gtest/gtest.h>

#include <vector>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Shape;
using quant::Tensor;
using Floats = std::vector<float>;

constexpr char kMicrosoft[] = "com.microsoft";

FloatTensor Drawn(const Shape& shape, int64_t seed) {
  FloatTensor tensor{shape, {}};
  for (int64_t i = 0; i < quant::NumElements(shape); ++i)
    tensor.data.push_back(static_cast<float>((i * 7 + seed * 3) % 11 - 5) / 4);
  return tensor;
}

struct Given {
  const char* name;
  Shape shape;
  int64_t seed;
};

// A model of one operator whose inputs are drawn.
class Case {
 public:
  Case(const char* op, const std::vector<Given>& given, const std::vector<std::string>& inputs,
       const std::vector<std::string>& outputs)
      : model(23), node(model.Node(op, inputs, outputs)) {
    for (const Given& input : given) {
      model.Input(input.name, input.shape);
      drawn_.push_back(Drawn(input.shape, input.seed));
    }
    for (const std::string& output : outputs) model.Output(output);
  }

  std::vector<Tensor> Run(const std::vector<FloatTensor>& more = {}) {
    std::vector<FloatTensor> inputs = drawn_;
    inputs.insert(inputs.end(), more.begin(), more.end());
    return model.Run(inputs);
  }

  ModelBuilder model;
  NodeBuilder node;

 private:
  std::vector<FloatTensor> drawn_;
};

void ExpectEnd(const std::vector<Tensor>& results, size_t index, const Floats& expected) {
  ASSERT_LT(index, results.size());
  const Floats& got = std::get<FloatTensor>(results[index]).data;
  ASSERT_GE(got.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(got[got.size() - expected.size() + i], expected[i], 2e-5) << i;
}

TEST(ImportGroupedAttention, SeveralHeadsShareTheirKeys) {
  Case grouped("Attention", {{"q", {1, 2, 2, 2}, 1}, {"k", {1, 1, 3, 2}, 2}, {"v", {1, 1, 3, 2}, 3}},
               {"q", "k", "v"}, {"y"});
  ExpectEnd(grouped.Run(), 0,
            {-0.2339869f, -0.74355119f, 0.066912204f, 0.057760846f, -0.25790957f, 0.24356942f, -0.16805431f,
             -0.83529443f});
}

TEST(ImportGroupedAttention, HeadsOfAMatrixInOrderWithBentScores) {
  Case ordered("Attention", {{"q", {1, 2, 4}, 1}, {"k", {1, 2, 2}, 2}, {"v", {1, 2, 2}, 3}}, {"q", "k", "v"},
               {"y"});
  ordered.node.Int("q_num_heads", 2).Int("kv_num_heads", 1).Int("is_causal", 1).Float("softcap", 2);
  ExpectEnd(ordered.Run(), 0, {1, 0, 1, 0, -0.24620065f, 0.46732527f, 0.059838653f, 0.35256052f});
}

// The first query sees the first key alone, and with a past of one step the first two.
TEST(ImportGroupedAttention, TheOrderBeginsAfterThePast) {
  Case uneven("Attention", {{"q", {1, 1, 2, 2}, 1}, {"k", {1, 1, 3, 2}, 2}, {"v", {1, 1, 3, 2}, 3}},
              {"q", "k", "v"}, {"y"});
  uneven.node.Int("is_causal", 1);
  ExpectEnd(uneven.Run(), 0, {1, 0, 0.13181108f, 0.32557088f});
  Case past("Attention",
            {{"q", {1, 1, 2, 2}, 1},
             {"k", {1, 1, 2, 2}, 2},
             {"v", {1, 1, 2, 2}, 3},
             {"pk", {1, 1, 1, 2}, 4},
             {"pv", {1, 1, 1, 2}, 5}},
            {"q", "k", "v", "", "pk", "pv"}, {"y", "keys", "values"});
  past.node.Int("is_causal", 1);
  const std::vector<Tensor> results = past.Run();
  ExpectEnd(results, 0, {-0.067724675f, -1.0677247f, 0.066912174f, 0.057760864f});
  EXPECT_EQ(results[1], Tensor(FloatTensor{{1, 1, 3, 2}, {-1, 0.75f, 0.25f, -0.75f, 1, 0}}));
  EXPECT_EQ(results[2], Tensor(FloatTensor{{1, 1, 3, 2}, {-0.25f, -1.25f, 1, 0, -1, 0.75f}}));
}

TEST(ImportGroupedAttention, MasksOfFlagsHideAndOfFloatsAreAdded) {
  const std::vector<Given> given = {{"q", {1, 1, 2, 2}, 1}, {"k", {1, 1, 3, 2}, 2}, {"v", {1, 1, 3, 2}, 3}};
  Case flags("Attention", given, {"q", "k", "v", "m"}, {"y"});
  flags.model.IntegerInput("m", {2, 3}, ::onnx::TensorProto::BOOL);
  flags.node.Float("scale", 0.5f);
  ExpectEnd(flags.Run({{{2, 3}, {1, 0, 1, 0, 1, 1}}}), 0,
            {0.028375179f, -0.97162485f, -0.72233099f, 0.0095492378f});
  Case floats("Attention", {given[0], given[1], given[2], {"m", {2, 3}, 4}}, {"q", "k", "v", "m"}, {"y"});
  ExpectEnd(floats.Run(), 0, {-0.48554859f, -0.41321874f, -0.58342576f, 0.38073686f});
}

TEST(ImportGroupedAttention, GroupQueryAttentionInOrder) {
  Case first("GroupQueryAttention", {{"q", {1, 2, 16}, 1}, {"k", {1, 2, 8}, 2}, {"v", {1, 2, 8}, 3}},
             {"q", "k", "v", "", "", "last", "total"}, {"y", "keys", "values"});
  first.node.Domain(kMicrosoft).Int("num_heads", 2).Int("kv_num_heads", 1);
  first.model.Integers("last", {{1}, {1}}).Integers("total", {{}, {2}});
  const std::vector<Tensor> results = first.Run();
  ExpectEnd(results, 0,
            {1.1181018f, 0.11810169f, -0.88189834f, 0.86810172f, -0.13189833f, -1.1318984f, 0.61810172f,
             -0.38189834f});
  EXPECT_EQ(std::get<FloatTensor>(results[1]).shape, (Shape{1, 1, 2, 8}));
  ExpectEnd(results, 2, {1.25f, 0.25f, -0.75f, 1, 0, -1, 0.75f, -0.25f});
}

Case WithAPast() {
  Case past("GroupQueryAttention",
            {{"q", {1, 1, 32}, 1},
             {"k", {1, 1, 16}, 2},
             {"v", {1, 1, 16}, 3},
             {"pk", {1, 1, 2, 16}, 4},
             {"pv", {1, 1, 2, 16}, 5}},
            {"q", "k", "v", "pk", "pv", "last", "total", "cos", "sin"}, {"y", "keys", "values"});
  past.node.Domain(kMicrosoft).Int("num_heads", 2).Int("kv_num_heads", 1).Int("do_rotary", 1);
  past.model.Weight("cos", Drawn({4, 8}, 6)).Weight("sin", Drawn({4, 8}, 7)).Integers("total", {{}, {3}});
  return past;
}

TEST(ImportGroupedAttention, GroupQueryAttentionTurnsWhatIsNew) {
  const Floats y = {0.84665823f,  -0.15334176f, -0.018173609f, 0.59665817f,
                    -0.40334174f, -0.26817361f, 0.34665823f,   -0.13771427f};
  Case past = WithAPast();
  past.model.Integers("last", {{1}, {2}});
  const std::vector<Tensor> results = past.Run();
  ExpectEnd(results, 0, y);
  ExpectEnd(results, 1, {0.25f, -0.5625f, -1.5f, 0.1875f, -0.3125f, -1.625f, -0.3125f, 0.1875f});

  Case computed = WithAPast();
  computed.model.IntegerInput("last", {1}, ::onnx::TensorProto::INT32);
  ExpectEnd(computed.Run({{{1}, {2}}}), 0, y);

  Case half = WithAPast();
  half.model.Integers("last", {{1}, {1}});
  EXPECT_EQ(half.model.ImportLabel(), "model_unsupported_operand");
}

TEST(ImportGroupedAttention, GroupQueryAttentionOfPackedHeadsInAWindow) {
  Case packed("GroupQueryAttention", {{"q", {1, 3, 64}, 1}},
              {"q", "", "", "", "", "last", "total", "cos", "sin"}, {"y", "keys", "values"});
  packed.node.Domain(kMicrosoft).Int("num_heads", 2).Int("kv_num_heads", 1).Int("do_rotary", 1);
  packed.node.Int("rotary_interleaved", 1).Int("local_window_size", 2).Float("softcap", 1.5f);
  packed.model.Weight("cos", Drawn({4, 8}, 6)).Weight("sin", Drawn({4, 8}, 7));
  packed.model.Integers("last", {{1}, {2}}).Integers("total", {{}, {3}});
  const std::vector<Tensor> results = packed.Run();
  ExpectEnd(results, 0,
            {0.10726322f, -0.89273679f, 0.85726321f, -0.14273678f, 0.29729807f, 0.60726321f, -0.39273679f,
             0.047298074f});
  ExpectEnd(results, 1, {-0.3125f, -0.625f, -0.5f, 1.25f, 0.6875f, 0.8125f, 0.5f, -0.5625f});
}

TEST(ImportGroupedAttention, RotaryPositions) {
  Case places("RotaryEmbedding", {{"x", {1, 2, 8}, 1}}, {"x", "c", "s", "p"}, {"y"});
  places.node.Int("num_heads", 2);
  places.model.Weight("c", Drawn({5, 2}, 6)).Weight("s", Drawn({5, 2}, 7)).IntegerInput("p", {1, 2});
  ExpectEnd(places.Run({{{1, 2}, {3, 1}}}), 0,
            {-0.1875f, -1.4375f, -0.375f, 0.4375f, 0.75f, 0.1875f, 0.75f, -0.75f, 0.0625f, 0.1875f, 0.8125f,
             -1.375f, 1, -0.9375f, -1.875f, 0.5f});
  Case apart("RotaryEmbedding", {{"x", {1, 2, 2, 6}, 1}, {"c", {1, 2, 2}, 6}, {"s", {1, 2, 2}, 7}},
             {"x", "c", "s"}, {"y"});
  apart.node.Int("rotary_embedding_dim", 4).Int("interleaved", 1);
  ExpectEnd(apart.Run(), 0, {-1.8125f, 0,        0.0625f, 0.4375f, 1,        0,       -0.6875f, 1.6875f,
                             1.1875f,  -0.5625f, 0.5f,    -0.5f,   0.3125f,  1.6875f, 0.125f,   -0.6875f,
                             0,        -1,       0.75f,   -0.875f, -0.8125f, -1.125f, -0.5f,    1.25f});
  Case contrib("RotaryEmbedding", {{"x", {1, 2, 8}, 1}}, {"x", "p", "c", "s"}, {"y"});
  contrib.node.Domain(kMicrosoft);
  contrib.model.Weight("c", Drawn({5, 2}, 6)).Weight("s", Drawn({5, 2}, 7)).IntegerInput("p", {1});
  ExpectEnd(contrib.Run({{{1}, {2}}}), 0,
            {0.375f, 0.5f, -0.1875f, -2, -0.75f, 0.75f, 0.75f, 0.75f, -0.375f, 1.125f, -0.1875f, 0.8125f,
             0.5625f, 0, 0.9375f, -1.0625f});
}

TEST(ImportGroupedAttention, WhatIsRefused) {
  const std::vector<Given> given = {{"q", {1, 2, 4}, 1}, {"k", {1, 2, 2}, 2}, {"v", {1, 2, 2}, 3}};
  Case heads("Attention", given, {"q", "k", "v"}, {"y"});
  EXPECT_EQ(heads.model.ImportLabel(), "model_malformed");
  Case three("Attention", given, {"q", "k", "v"}, {"y"});
  three.node.Int("q_num_heads", 4).Int("kv_num_heads", 3);
  EXPECT_EQ(three.model.ImportLabel(), "model_shape");
  Case products("Attention", given, {"q", "k", "v"}, {"y", "k2", "v2", "products"});
  products.node.Int("q_num_heads", 2).Int("kv_num_heads", 1);
  EXPECT_EQ(products.model.ImportLabel(), "model_unsupported_output");
  Case odd("RotaryEmbedding", {{"x", {1, 2, 6}, 1}, {"c", {1, 2, 2}, 6}, {"s", {1, 2, 2}, 7}},
           {"x", "c", "s"}, {"y"});
  odd.node.Int("num_heads", 2);
  EXPECT_EQ(odd.model.ImportLabel(), "model_shape");
  Case smooth = WithAPast();
  smooth.model.Integers("last", {{1}, {2}});
  smooth.node.Int("smooth_softmax", 1);
  EXPECT_EQ(smooth.model.ImportLabel(), "model_unsupported_attribute");
}

}  // namespace
}  // namespace tally::onnx
