#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Shape;

// x [T, B, I] = [3, 2, 2] with 2 units.
FloatTensor X(const Shape& shape = {3, 2, 2}) { return SmallIntegers(shape, 9); }

NodeBuilder Strings(NodeBuilder node, const std::string& name, const std::vector<std::string>& values) {
  ::onnx::AttributeProto* attribute = node.proto().add_attribute();
  attribute->set_name(name);
  attribute->set_type(::onnx::AttributeProto::STRINGS);
  for (const std::string& value : values) attribute->add_strings(value);
  return node;
}

int64_t GatesOf(const std::string& op) { return op == "LSTM" ? 4 : op == "GRU" ? 3 : 1; }

// Inputs x, weights w and r, and an output y; the nodes are the test's.
ModelBuilder Model(const std::string& op, int64_t opset = 14, const Shape& x = {3, 2, 2},
                   int64_t directions = 1) {
  ModelBuilder model(opset);
  const int64_t rows = 2 * GatesOf(op);
  model.Input("x", x).Output("y");
  model.Weight("w", SmallIntegers({directions, rows, 2}, 1));
  model.Weight("r", SmallIntegers({directions, rows, 2}, 2));
  model.Weight("b", SmallIntegers({directions, 2 * rows}, 3));
  return model;
}

TEST(ImportRecurrent, EveryOpset) {
  for (const std::string op : {"LSTM", "GRU", "RNN"}) {
    for (const int64_t opset : {7, 13, 14, 21}) {
      ModelBuilder model = Model(op, opset);
      model.Node(op, {"x", "w", "r", "b"}, {"y"}).Int("hidden_size", 2);
      EXPECT_EQ(model.ImportMessage(), "");
      EXPECT_EQ(OpsOf(*model.Import()), op == "LSTM" ? "Lstm" : op == "GRU" ? "Gru" : "Rnn");
    }
  }
}

// The rows of B are those of W and then those of R.
TEST(ImportRecurrent, BiasesAreAddedUpButThatOfAResetGate) {
  for (const bool reset_after : {false, true}) {
    ModelBuilder model(14);
    model.Input("x", {1, 1, 1}).Output("y");
    const FloatTensor zeros{{1, 3, 1}, {0, 0, 0}};
    model.Weight("w", zeros).Weight("r", zeros).Weight("b", {{1, 6}, {-9, 0.5f, 0.25f, -9, 1, 0.125f}});
    model.Node("GRU", {"x", "w", "r", "b"}, {"y"}).Int("linear_before_reset", reset_after);
    const float r = 1 / (1 + std::exp(-1.5f)), n = std::tanh(0.25f + (reset_after ? r : 1) * 0.125f);
    const auto y = std::get<FloatTensor>(model.Run({{{1, 1, 1}, {7}}}).at(0));
    EXPECT_NEAR(y.data[0], n, 1e-6);
  }
}

TEST(ImportRecurrent, OutputsThatNothingReadsGetNoNode) {
  ModelBuilder model = Model("LSTM");
  model.Node("LSTM", {"x", "w", "r"}, {"states", "y", "cell"});
  EXPECT_EQ(OpsOf(*model.Import()), "Lstm");
  EXPECT_EQ(quant::ToString(quant::TypeOf(model.Run({X()}).at(0))), "float32[1, 2, 2]");
  ModelBuilder all = Model("LSTM");
  all.Output("state").Output("cell").Node("LSTM", {"x", "w", "r"}, {"y", "state", "cell"});
  EXPECT_EQ(OpsOf(*all.Import()), "Lstm Lstm Lstm");
  ModelBuilder unnamed = Model("LSTM");
  unnamed.Node("LSTM", {"x", "w", "r"}, {"", "y"});
  EXPECT_EQ(unnamed.ImportMessage(), "");
}

// y, the state and the cell of the last step agree with the states.
TEST(ImportRecurrent, FinalStatesAreThoseOfTheLastStepOfEachDirection) {
  for (const std::string op : {"LSTM", "GRU", "RNN"}) {
    ModelBuilder model = Model(op, 14, {3, 2, 2}, 2);
    model.Output("state").Node(op, {"x", "w", "r", "b"}, {"y", "state"}).String("direction", "bidirectional");
    const auto results = model.Run({X()});
    const auto &y = std::get<FloatTensor>(results.at(0)), &state = std::get<FloatTensor>(results.at(1));
    ASSERT_EQ(y.shape, (Shape{3, 2, 2, 2}));
    ASSERT_EQ(state.shape, (Shape{2, 2, 2}));
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(state.data[i], y.data[2 * 8 + i]);  // forward: step 2
      EXPECT_EQ(state.data[4 + i], y.data[4 + i]);  // reverse: step 0
    }
  }
}

TEST(ImportRecurrent, LayoutOfBatchesFirst) {
  ModelBuilder steps = Model("LSTM"), batches = Model("LSTM", 14, {2, 3, 2});
  steps.Output("state").Weight("h", SmallIntegers({1, 2, 2}, 5));
  steps.Node("LSTM", {"x", "w", "r", "b", "", "h"}, {"y", "state"});
  FloatTensor by_batch = SmallIntegers({1, 2, 2}, 5);
  by_batch.shape = {2, 1, 2};
  batches.Output("state").Weight("h", by_batch);
  batches.Node("LSTM", {"x", "w", "r", "b", "", "h"}, {"y", "state"}).Int("layout", 1);
  FloatTensor x = X({2, 3, 2}), transposed{{3, 2, 2}, {}};
  for (size_t t = 0; t < 3; ++t) {
    for (size_t b = 0; b < 2; ++b) {
      for (size_t i = 0; i < 2; ++i) transposed.data.push_back(x.data[(b * 3 + t) * 2 + i]);
    }
  }
  const auto expected = steps.Run({transposed}), actual = batches.Run({x});
  const auto &e = std::get<FloatTensor>(expected.at(0)), &a = std::get<FloatTensor>(actual.at(0));
  ASSERT_EQ(a.shape, (Shape{2, 3, 1, 2}));
  for (size_t t = 0; t < 3; ++t) {
    for (size_t b = 0; b < 2; ++b) {
      for (size_t j = 0; j < 2; ++j) EXPECT_EQ(a.data[(b * 3 + t) * 2 + j], e.data[(t * 2 + b) * 2 + j]);
    }
  }
  EXPECT_EQ(std::get<FloatTensor>(actual.at(1)).shape, (Shape{2, 1, 2}));
  EXPECT_EQ(std::get<FloatTensor>(actual.at(1)).data, std::get<FloatTensor>(expected.at(1)).data);
}

size_t OperandsOf(const quant::Graph& graph) { return graph.nodes.back().operands.size(); }

TEST(ImportRecurrent, InitialStatesOfZerosAreLeftOut) {
  for (const float value : {0.0f, 1.0f}) {
    ModelBuilder model = Model("LSTM");
    model.Weight("h", {{1, 2, 2}, {0, 0, 0, 0}}).Weight("c", {{1, 2, 2}, {0, 0, 0, value}});
    model.Node("LSTM", {"x", "w", "r", "b", "", "h", "c"}, {"y"});
    EXPECT_EQ(OperandsOf(*model.Import()), value == 0 ? 4u : 6u);
  }
  // One of two is given, and may be computed.
  ModelBuilder model = Model("LSTM");
  model.Input("c", {1, 2, 2}).Node("LSTM", {"x", "w", "r", "b", "", "", "c"}, {"y"});
  EXPECT_EQ(OperandsOf(*model.Import()), 6u);
}

TEST(ImportRecurrent, LengthsAreConstants) {
  ModelBuilder model = Model("RNN");
  model.Integers("lengths", Int64Tensor{{2}, {3, 1}});
  model.Node("RNN", {"x", "w", "r", "b", "lengths"}, {"y"});
  const auto y = std::get<FloatTensor>(model.Run({X()}).at(0));
  EXPECT_EQ(std::vector<float>(y.data.end() - 2, y.data.end()), (std::vector<float>{0, 0}));
  EXPECT_NE(y.data[8], 0);
  ModelBuilder bad = Model("RNN");
  bad.Integers("lengths", Int64Tensor{{2}, {3, 4}}).Node("RNN", {"x", "w", "r", "b", "lengths"}, {"y"});
  EXPECT_EQ(bad.ImportLabel(), "model_malformed");
  ModelBuilder few = Model("RNN");
  few.Integers("lengths", Int64Tensor{{1}, {3}}).Node("RNN", {"x", "w", "r", "b", "lengths"}, {"y"});
  EXPECT_EQ(few.ImportLabel(), "model_shape");
}

// The label of a node with this attribute.
template <typename Set>
std::string LabelWith(const std::string& op, Set set, int64_t directions = 1) {
  ModelBuilder model = Model(op, 14, {3, 2, 2}, directions);
  NodeBuilder node = model.Node(op, {"x", "w", "r", "b"}, {"y"});
  if (directions == 2) node.String("direction", "bidirectional");
  set(node);
  return model.ImportLabel();
}

TEST(ImportRecurrent, Activations) {
  const auto label = [](const std::string& op, const std::vector<std::string>& names,
                        int64_t directions = 1) {
    return LabelWith(
        op, [&](NodeBuilder& node) { Strings(node, "activations", names); }, directions);
  };
  EXPECT_EQ(label("RNN", {"Relu"}), "");
  EXPECT_EQ(label("GRU", {"HardSigmoid", "Sigmoid"}), "");
  EXPECT_EQ(label("LSTM", {"HardSigmoid", "Tanh", "HardSigmoid"}), "");
  EXPECT_EQ(label("LSTM", {"Sigmoid", "Tanh", "Tanh", "Sigmoid", "Tanh", "Tanh"}, 2), "");
  EXPECT_EQ(label("LSTM", {"Sigmoid", "Tanh", "Tanh", "Sigmoid", "Tanh", "Sigmoid"}, 2), "");
  EXPECT_EQ(label("LSTM", {"Sigmoid", "Tanh"}), "model_malformed");
  EXPECT_EQ(label("LSTM", {"Tanh", "Tanh", "Tanh"}), "");
  EXPECT_EQ(label("LSTM", {"Sigmoid", "Relu", "Tanh"}), "");
  EXPECT_EQ(label("GRU", {"Sigmoid", "Relu"}), "");
  EXPECT_EQ(label("RNN", {"Softsign"}), "");
  EXPECT_EQ(label("RNN", {"Sine"}), "model_unsupported_attribute");
}

TEST(ImportRecurrent, Refusals) {
  using Node = NodeBuilder&;
  EXPECT_EQ(LabelWith("LSTM", [](Node n) { n.Float("clip", 3); }), "");
  EXPECT_EQ(LabelWith("LSTM", [](Node n) { n.Floats("activation_alpha", {1}); }), "model_malformed");
  EXPECT_EQ(LabelWith("LSTM", [](Node n) { n.Int("input_forget", 1); }), "");
  EXPECT_EQ(LabelWith("LSTM", [](Node n) { n.Int("hidden_size", 3); }), "model_shape");
  EXPECT_EQ(LabelWith("LSTM", [](Node n) { n.String("direction", "both"); }), "model_malformed");
  EXPECT_EQ(LabelWith("LSTM", [](Node n) { n.String("direction", "bidirectional"); }), "model_shape");
  ModelBuilder early = Model("LSTM", 13);
  early.Node("LSTM", {"x", "w", "r"}, {"y"}).Int("layout", 1);
  EXPECT_EQ(early.ImportLabel(), "model_unsupported_attribute");
  for (const char* input : {"W", "R", "B"}) {
    ModelBuilder model = Model("RNN");
    model.Input("W", {1, 2, 2}).Input("R", {1, 2, 2}).Input("B", {1, 4});
    const std::string name = input;
    model.Node("RNN", {"x", name == "W" ? "W" : "w", name == "R" ? "R" : "r", name == "B" ? "B" : "b"},
               {"y"});
    EXPECT_EQ(model.ImportLabel(), "model_unsupported_operand") << name;
  }
  ModelBuilder bias = Model("RNN");
  bias.Weight("other", SmallIntegers({1, 2}, 1)).Node("RNN", {"x", "w", "r", "other"}, {"y"});
  EXPECT_EQ(bias.ImportLabel(), "model_shape");
  ModelBuilder state = Model("RNN");
  state.Input("h", {1, 2, 3}).Node("RNN", {"x", "w", "r", "b", "", "h"}, {"y"});
  EXPECT_EQ(state.ImportLabel(), "model_shape");
  ModelBuilder rank = Model("RNN", 14, {3, 2});
  rank.Node("RNN", {"x", "w", "r"}, {"y"});
  EXPECT_EQ(rank.ImportLabel(), "model_shape");
  ModelBuilder peephole = Model("LSTM");
  peephole.Weight("p", SmallIntegers({1, 4}, 1));
  peephole.Node("LSTM", {"x", "w", "r", "b", "", "", "", "p"}, {"y"});
  EXPECT_EQ(peephole.ImportLabel(), "model_shape");
}

// A small file with large states must not become large constants.
TEST(ImportRecurrent, OnnxTooLarge_StatesThatTheFileDoesNotHold) {
  ModelBuilder model(14);
  model.Input("x", {1, 1 << 20, 1}).Input("h", {1, 1 << 20, 1}).Output("y");
  const FloatTensor w{{1, 4, 1}, {1, 1, 1, 1}};
  model.Weight("w", w).Weight("r", w);
  model.Node("LSTM", {"x", "w", "r", "", "", "h"}, {"y"});
  EXPECT_EQ(model.ImportLabel(), "model_too_large");
}

}  // namespace
}  // namespace tally::onnx
