// Networks as PyTorch exports them: initial states made of the shape of x, and the layout of one layer turned
// into that of the next.
#include <gtest/gtest.h>

#include <string>

#include "frontends/onnx/testing/model_builder.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Random;

constexpr int64_t kBatch = 2, kSteps = 10, kInputs = 6, kUnits = 8, kClasses = 3;

Int64Tensor List(const std::vector<int64_t>& list) { return {{static_cast<int64_t>(list.size())}, list}; }

// `name` [4, batch of x, units]: zeros that are expanded to a shape which is computed from that of x.
void AddZeroStates(ModelBuilder& model, const std::string& name) {
  const auto step = [&](const char* suffix) { return name + suffix; };
  model.Node("Shape", {"x"}, {step(".shape")});
  model.Integers(step(".0"), {{}, {0}});
  model.Node("Gather", {step(".shape"), step(".0")}, {step(".batch")}).Int("axis", 0);
  model.Integers(step(".axes"), List({0}));
  model.Node("Unsqueeze", {step(".batch"), step(".axes")}, {step(".batch1")});
  model.Integers(step(".layers"), List({4})).Integers(step(".units"), List({kUnits}));
  model.Node("Concat", {step(".layers"), step(".batch1"), step(".units")}, {step(".dims")}).Int("axis", 0);
  model.Node("ConstantOfShape", {step(".dims")}, {step(".ones")}).Tensor("value", FloatTensor{{1}, {0}});
  model.Node("Expand", {step(".ones"), step(".dims")}, {name});
}

// x [B, T, I] through two bidirectional layers of `op`, and the states of the last step through a dense
// layer.
ModelBuilder TwoLayers(const std::string& op) {
  const int64_t gates = op == "LSTM" ? 4 : op == "GRU" ? 3 : 1;
  ModelBuilder model(14);
  model.Input("x", {kBatch, kSteps, kInputs}).Output("scores");
  AddZeroStates(model, "h_all");
  if (op == "LSTM") AddZeroStates(model, "c_all");
  model.Node("Transpose", {"x"}, {"by_step"}).Ints("perm", {1, 0, 2});
  std::string x = "by_step";
  model.Integers("shape", List({0, 0, -1})).Integers("axis0", List({0}));
  for (int64_t layer = 0; layer < 2; ++layer) {
    const std::string n = std::to_string(layer);
    const uint32_t seed = static_cast<uint32_t>(10 * layer);
    const auto weight = [&](const std::string& name, const quant::Shape& shape, uint32_t number) {
      model.Weight(name + n, Random(shape, seed + number, -0.35, 0.35));
    };
    weight("w", {2, gates * kUnits, layer == 0 ? kInputs : 2 * kUnits}, 1);
    weight("r", {2, gates * kUnits, kUnits}, 2);
    weight("b", {2, 2 * gates * kUnits}, 3);
    model.Integers("begin" + n, List({2 * layer})).Integers("end" + n, List({2 * layer + 2}));
    model.Node("Slice", {"h_all", "begin" + n, "end" + n, "axis0"}, {"h" + n});
    std::vector<std::string> inputs = {x, "w" + n, "r" + n, "b" + n, "", "h" + n};
    std::vector<std::string> outputs = {"y" + n, "y_h" + n};
    if (op == "LSTM") {
      model.Node("Slice", {"c_all", "begin" + n, "end" + n, "axis0"}, {"c" + n});
      inputs.push_back("c" + n);
      outputs.push_back("y_c" + n);
    }
    NodeBuilder node = model.Node(op, inputs, outputs);
    node.Int("hidden_size", kUnits).String("direction", "bidirectional");
    if (op == "GRU") node.Int("linear_before_reset", 1);
    model.Node("Transpose", {"y" + n}, {"t" + n}).Ints("perm", {0, 2, 1, 3});
    model.Node("Reshape", {"t" + n, "shape"}, {"joined" + n});
    x = "joined" + n;
  }
  model.Node("Transpose", {x}, {"by_batch"}).Ints("perm", {1, 0, 2});
  model.Integers("last", {{}, {-1}});
  model.Node("Gather", {"by_batch", "last"}, {"features"}).Int("axis", 1);
  model.Weight("fc", Random({kClasses, 2 * kUnits}, 30, -0.25, 0.25)).Weight("fc_b", Random({kClasses}, 31));
  model.Node("Gemm", {"features", "fc", "fc_b"}, {"scores"}).Int("transB", 1);
  return model;
}

TEST(RecurrentNetwork, TwoBidirectionalLayersAsPyTorchExportsThem) {
  for (const std::string op : {"LSTM", "GRU", "RNN"}) {
    const auto graph = TwoLayers(op).Import();
    ASSERT_TRUE(graph.ok()) << graph.status();
    const std::string layer = op == "LSTM" ? "Lstm" : op == "GRU" ? "Gru" : "Rnn";
    EXPECT_EQ(OpsOf(*graph), "Transpose " + layer + " Transpose Reshape " + layer +
                                 " Transpose Reshape Transpose Gather Dense");
    EXPECT_GT(quant::MeasureLowered(*graph).error.sqnr_db(), 30) << op;
  }
}

// One layer without batch_first, whose final states are read: Y_h [1, B, H] and then a Squeeze.
TEST(RecurrentNetwork, FinalStatesThroughASqueeze) {
  ModelBuilder model(13);
  model.Input("x", {kSteps, kBatch, kInputs}).Output("state").Output("states").Output("cell");
  model.Weight("w", Random({1, 4 * kUnits, kInputs}, 1, -0.35, 0.35));
  model.Weight("r", Random({1, 4 * kUnits, kUnits}, 2, -0.35, 0.35));
  model.Integers("axis", List({0})).Integers("axis1", List({1}));
  model.Node("LSTM", {"x", "w", "r"}, {"y", "y_h", "cell"}).Int("hidden_size", kUnits);
  model.Node("Squeeze", {"y_h", "axis"}, {"state"});
  model.Node("Squeeze", {"y", "axis1"}, {"states"});
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(quant::ToString(graph->values[graph->outputs[0].value].type), "float32[2, 8]");
  EXPECT_GT(quant::MeasureLowered(*graph).error.sqnr_db(), 30);
}

}  // namespace
}  // namespace tally::onnx
