// The operators of family recurrent, by hand-computed values: what they accept and what they give.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "quant/graph/testing/evaluate_op.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

using Reals = std::vector<float>;

constexpr Direction kBoth = Direction::kBidirectional;
float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

// Shapes of a layer of 5 steps of 2 sequences, 3 inputs and 4 units.
std::vector<Shape> Shapes(int64_t gates, int64_t directions, const std::vector<Shape>& more = {}) {
  const int64_t rows = 4 * gates;
  std::vector<Shape> shapes = {{5, 2, 3}, {directions, rows, 3}, {directions, rows, 4}, {directions, rows}};
  shapes.insert(shapes.end(), more.begin(), more.end());
  return shapes;
}

TEST(Recurrent, Types) {
  EXPECT_EQ(InferFloatOp(Rnn{}, Shapes(1, 1)), "float32[5, 1, 2, 4]");
  EXPECT_EQ(InferFloatOp(Rnn{{kBoth}}, Shapes(1, 2, {{2, 2, 4}})), "float32[5, 2, 2, 4]");
  EXPECT_EQ(InferFloatOp(Rnn{.sequences = {kBoth, {5, 0}, SequenceResult::kFinalState}}, Shapes(1, 2)),
            "float32[2, 2, 4]");
  EXPECT_EQ(InferFloatOp(Gru{}, Shapes(3, 1, {{1, 2, 4}})), "float32[5, 1, 2, 4]");
  EXPECT_EQ(InferFloatOp(Gru{.reset_after = true}, Shapes(3, 1, {{1, 4}, {1, 2, 4}})), "float32[5, 1, 2, 4]");
  EXPECT_EQ(InferFloatOp(Lstm{}, Shapes(4, 1)), "float32[5, 1, 2, 4]");
  EXPECT_EQ(InferFloatOp(Lstm{.peephole = true}, Shapes(4, 1, {{1, 12}, {1, 2, 4}, {1, 2, 4}})),
            "float32[5, 1, 2, 4]");
  EXPECT_EQ(InferFloatOp(Lstm{.sequences = {.result = SequenceResult::kFinalCell}}, Shapes(4, 1)),
            "float32[1, 2, 4]");
}

TEST(Recurrent, RefusesShapesThatDoNotFit) {
  for (size_t operand = 0; operand < 4; ++operand) {
    std::vector<Shape> shapes = Shapes(3, 1);
    shapes[operand].back() += 1;
    EXPECT_EQ(InferFloatOp(Gru{}, shapes), "graph_shape") << operand;
    shapes[operand].pop_back();
    EXPECT_EQ(InferFloatOp(Gru{}, shapes), "graph_shape") << operand;
  }
  EXPECT_EQ(InferFloatOp(Rnn{{kBoth}}, Shapes(1, 1)), "graph_shape");
  EXPECT_EQ(InferFloatOp(Rnn{}, Shapes(1, 2)), "graph_shape");
  EXPECT_EQ(InferFloatOp(Lstm{}, Shapes(3, 1)), "graph_shape");
  EXPECT_EQ(InferFloatOp(Rnn{}, Shapes(1, 1, {{1, 2, 3}})), "graph_shape");
  EXPECT_EQ(InferFloatOp(Gru{.reset_after = true}, Shapes(3, 1, {{1, 12}})), "graph_shape");
  EXPECT_EQ(InferFloatOp(Lstm{.peephole = true}, Shapes(4, 1, {{1, 16}})), "graph_shape");
}

TEST(Recurrent, RefusesOtherNumbersOfOperands) {
  EXPECT_EQ(InferFloatOp(Rnn{}, Shapes(1, 1, {{1, 2, 4}, {1, 2, 4}})), "graph_operands");
  EXPECT_EQ(InferFloatOp(Gru{}, Shapes(3, 1, {{1, 2, 4}, {1, 2, 4}})), "graph_operands");
  EXPECT_EQ(InferFloatOp(Gru{.reset_after = true}, Shapes(3, 1)), "graph_operands");
  EXPECT_EQ(InferFloatOp(Lstm{}, Shapes(4, 1, {{1, 2, 4}})), "graph_operands");
  EXPECT_EQ(InferFloatOp(Lstm{.peephole = true}, Shapes(4, 1)), "graph_operands");
}

TEST(Recurrent, RefusesLengthsAndActivationsOutOfRange) {
  for (const std::vector<int64_t>& lengths : {std::vector<int64_t>{5}, {5, 6}, {-1, 5}, {1, 1, 1}}) {
    EXPECT_EQ(InferFloatOp(Rnn{{.lengths = lengths}}, Shapes(1, 1)), "graph_attribute");
  }
  EXPECT_EQ(InferFloatOp(Rnn{{.result = SequenceResult::kFinalCell}}, Shapes(1, 1)), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Gru{{.result = SequenceResult::kFinalCell}}, Shapes(3, 1)), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Gru{.gates = Activation::kTanh}, Shapes(3, 1)), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Gru{.state = Activation::kRelu}, Shapes(3, 1)), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Lstm{.gates = Activation::kRelu}, Shapes(4, 1)), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Lstm{.input = Activation::kRelu}, Shapes(4, 1)), "graph_attribute");
  EXPECT_EQ(InferFloatOp(Lstm{.output = Activation::kRelu}, Shapes(4, 1)), "graph_attribute");
}

TEST(Recurrent, WeightsAreConstantsAndStatesNeedNotBe) {
  for (const Op& op : {Op(Rnn{}), Op(Gru{}), Op(Lstm{})}) {
    EXPECT_FALSE(IsWeightOperand(op, 0));
    for (const size_t weight : {1, 2, 3}) EXPECT_TRUE(IsWeightOperand(op, weight)) << OpName(op);
    EXPECT_FALSE(IsWeightOperand(op, 4)) << OpName(op);
    EXPECT_TRUE(ReadsWide(op, 4)) << OpName(op);
  }
  EXPECT_TRUE(IsWeightOperand(Gru{.reset_after = true}, 4));
  EXPECT_TRUE(IsWeightOperand(Lstm{.peephole = true}, 4));
  EXPECT_FALSE(IsWeightOperand(Lstm{.peephole = true}, 5));
}

// h' = relu(x + 2 h + 1) of one unit, whose states are whole numbers.
const FloatTensor kOne = {{1, 1, 1}, {1}}, kTwo = {{1, 1, 1}, {2}}, kBias = {{1, 1}, {1}};
Rnn Relu(const Sequences& sequences = {}) { return {sequences, Activation::kRelu}; }

TEST(EvaluateRnn, WalksForwardAndBack) {
  const FloatTensor x = {{3, 1, 1}, {1, -9, 5}};
  EXPECT_EQ(EvaluateFloatOp(Relu(), {x, kOne, kTwo, kBias}), (Reals{2, 0, 6}));
  EXPECT_EQ(EvaluateFloatOp(Relu(), {x, kOne, kTwo, kBias, FloatTensor{{1, 1, 1}, {10}}}),
            (Reals{22, 36, 78}));
  EXPECT_EQ(EvaluateFloatOp(Relu({Direction::kReverse}), {x, kOne, kTwo, kBias}), (Reals{10, 4, 6}));
  const FloatTensor w = {{2, 1, 1}, {1, 1}}, r = {{2, 1, 1}, {2, 2}}, bias = {{2, 1}, {1, 1}};
  EXPECT_EQ(EvaluateFloatOp(Relu({kBoth}), {x, w, r, bias}), (Reals{2, 10, 0, 4, 6, 6}));
  EXPECT_EQ(EvaluateFloatOp(Relu({kBoth, {}, SequenceResult::kFinalState}), {x, w, r, bias}), (Reals{6, 10}));
}

TEST(EvaluateRnn, SequencesEndWhereTheirLengthsSay) {
  const FloatTensor x = {{3, 3, 1}, {1, 1, 1, 2, 2, 2, 3, 3, 3}}, h_0 = {{1, 3, 1}, {0, 0, 7}};
  const Sequences forward = {.lengths = {3, 1, 0}}, reverse = {Direction::kReverse, {3, 2, 0}};
  EXPECT_EQ(EvaluateFloatOp(Relu(forward), {x, kOne, kTwo, kBias, h_0}), (Reals{2, 2, 0, 7, 0, 0, 18, 0, 0}));
  EXPECT_EQ(EvaluateFloatOp(Relu(reverse), {x, kOne, kTwo, kBias, h_0}),
            (Reals{24, 8, 0, 11, 3, 0, 4, 0, 0}));
  Sequences last = reverse;
  last.result = SequenceResult::kFinalState;
  EXPECT_EQ(EvaluateFloatOp(Relu(last), {x, kOne, kTwo, kBias, h_0}), (Reals{24, 8, 7}));
}

TEST(EvaluateRnn, TellsItsStates) {
  const FloatTensor x = {{3, 1, 1}, {1, -9, 5}};
  const Rnn last = Relu({.result = SequenceResult::kFinalState});
  FloatTensor inner;
  EvaluateOp(last, {x, kOne, kTwo, kBias}, &inner);
  EXPECT_EQ(inner.data, (Reals{2, 0, 6}));
}

TEST(EvaluateGru, ResetsBeforeOrAfterTheProduct) {
  // Rows z, r, n. z and r have weights of their own, so that a mix-up shows.
  const FloatTensor x = {{1, 1, 1}, {0.5f}}, w = {{1, 3, 1}, {1, 2, 3}}, r = {{1, 3, 1}, {-1, 0.5f, 2}},
                    bias = {{1, 3}, {0.1f, 0.2f, 0.3f}}, bias_r = {{1, 1}, {0.7f}}, h_0 = {{1, 1, 1}, {0.4f}};
  const float z = Sigmoid(0.5f - 0.4f + 0.1f), reset = Sigmoid(1 + 0.2f + 0.2f);
  const float before = std::tanh(1.5f + 2 * (reset * 0.4f) + 0.3f);
  const float after = std::tanh(1.5f + 0.3f + reset * (2 * 0.4f + 0.7f));
  EXPECT_NEAR(EvaluateFloatOp(Gru{}, {x, w, r, bias, h_0})[0], z * 0.4f + (1 - z) * before, 1e-6);
  EXPECT_NEAR(EvaluateFloatOp(Gru{.reset_after = true}, {x, w, r, bias, bias_r, h_0})[0],
              z * 0.4f + (1 - z) * after, 1e-6);
}

TEST(EvaluateLstm, KeepsCellsAndLooksAtThem) {
  // Rows i, o, f, c; peepholes i, o, f.
  const FloatTensor x = {{1, 1, 1}, {0.5f}}, w = {{1, 4, 1}, {1, 2, 3, 4}},
                    r = {{1, 4, 1}, {-1, 0.5f, 2, -3}}, bias = {{1, 4}, {0.1f, 0.2f, 0.3f, 0.4f}},
                    peepholes = {{1, 3}, {0.6f, -0.7f, 0.8f}}, h_0 = {{1, 1, 1}, {0.4f}},
                    c_0 = {{1, 1, 1}, {-0.9f}};
  for (const bool peephole : {false, true}) {
    const float p = peephole ? 1 : 0;
    const float i = Sigmoid(0.5f - 0.4f + 0.1f - p * 0.54f), f = Sigmoid(1.5f + 0.8f + 0.3f - p * 0.72f);
    const float c = f * -0.9f + i * std::tanh(2 - 1.2f + 0.4f);
    const float h = Sigmoid(1 + 0.2f + 0.2f - p * 0.7f * c) * std::tanh(c);
    std::vector<Tensor> operands = {x, w, r, bias};
    if (peephole) operands.push_back(peepholes);
    operands.insert(operands.end(), {h_0, c_0});
    FloatTensor inner;
    EXPECT_NEAR(EvaluateFloatOp(Lstm{.peephole = peephole}, operands, &inner)[0], h, 1e-6);
    EXPECT_NEAR(inner.data[0], c, 1e-6);
    const Lstm cells = {.sequences = {.result = SequenceResult::kFinalCell}, .peephole = peephole};
    EXPECT_EQ(EvaluateFloatOp(cells, operands), inner.data);
  }
}

TEST(EvaluateRecurrent, OtherActivations) {
  const FloatTensor x = {{2, 1, 1}, {1, 100}}, w = {{1, 3, 1}, {1, 1, 1}}, r = {{1, 3, 1}, {}},
                    bias = {{1, 3}, {0, 0, 0}};
  FloatTensor zeros = r;
  zeros.data.resize(3);
  const Gru hard = {.gates = Activation::kHardSigmoid, .state = Activation::kSigmoid};
  const float first = 0.3f * Sigmoid(1);  // z = 1 / 5 + 1 / 2, and then 1
  const Reals y = EvaluateFloatOp(hard, {x, w, zeros, bias});
  EXPECT_NEAR(y[0], first, 1e-6);
  EXPECT_NEAR(y[1], first, 1e-6);
}

TEST(EvaluateRecurrent, NaNPassesOn) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Activation activation :
       {Activation::kTanh, Activation::kSigmoid, Activation::kHardSigmoid, Activation::kRelu}) {
    const Reals y =
        EvaluateFloatOp(Rnn{.state = activation}, {FloatTensor{{2, 1, 1}, {nan, 1}}, kOne, kTwo, kBias});
    EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
  }
}

}  // namespace
}  // namespace tally::quant
