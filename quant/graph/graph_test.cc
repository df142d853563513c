#include "quant/graph/graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "quant/graph/graph_builder.h"

namespace tally::quant {
namespace {

// values: 0 x, 1 w (constant, node 0), 2 y (Dense, node 1), 3 z (Relu, node 2, the output).
Graph Small() {
  GraphBuilder builder("small");
  const ValueId x = *builder.AddInput("x", {1, 2});
  const ValueId weight = *builder.AddConstant("w", FloatTensor{{3, 2}, {1, 2, 3, 4, 5, 6}});
  const ValueId y = *builder.AddNode(Dense{}, {x, weight}, "y", "dense");
  builder.AddOutput(*builder.AddNode(Relu{}, {y}, "z", "relu"));
  return *std::move(builder).Build();
}

template <typename Spoil>
std::string LabelAfter(Spoil spoil) {
  Graph graph = Small();
  EXPECT_TRUE(Verify(graph).ok()) << Verify(graph);
  spoil(graph);
  return ErrorLabel(Verify(graph));
}

TEST(GraphVerify, GraphName_EmptyUnprintableAndRepeatedNames) {
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.values[1].name = ""; }), "graph_name");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.values[1].name = "a\tb"; }), "graph_name");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.values[1].name = "\xc3"; }), "graph_name");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.values[1].name = std::string(kMaxValueNameBytes + 1, 'n'); }),
            "graph_name");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.values[1].name = "x"; }), "graph_name");
}

TEST(GraphVerify, GraphProducer_ValuesAndNodesMustNameEachOther) {
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.values[2].producer = kGraphInput; }), "graph_producer");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.values[2].producer = 2; }), "graph_producer");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.nodes[1].result = 3; }), "graph_producer");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.nodes[1].result = 99; }), "graph_producer");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.inputs = {}; }), "graph_producer");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.inputs = {1}; }), "graph_producer");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.inputs = {-1}; }), "graph_producer");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.nodes.pop_back(); }), "graph_producer");
  EXPECT_EQ(LabelAfter([](Graph& graph) {
              graph.values.push_back({"second", graph.values[0].type, kGraphInput});
              graph.inputs = {0, 0};
            }),
            "graph_producer");
}

TEST(GraphVerify, GraphOrder_OperandsMustExistBeforeTheirUse) {
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.nodes[1].operands[0] = 3; }), "graph_order");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.nodes[1].operands[0] = 2; }), "graph_order");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.nodes[1].operands[0] = 4; }), "graph_order");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.nodes[1].operands[0] = -1; }), "graph_order");
}

TEST(GraphVerify, GraphConstantOperand_WeightsAreConstants) {
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.nodes[1].operands[1] = 0; }), "graph_constant_operand");
}

TEST(GraphVerify, GraphConstantData_TensorsAreFullAndFinite) {
  const auto set = [](Graph& graph, FloatTensor tensor) {
    graph.nodes[0].op = Constant{std::make_shared<const Tensor>(std::move(tensor))};
  };
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.nodes[0].op = Constant{nullptr}; }), "graph_constant_data");
  EXPECT_EQ(LabelAfter([&](Graph& graph) { set(graph, {{3, 2}, {1, 2, 3, 4, 5}}); }), "graph_constant_data");
  EXPECT_EQ(LabelAfter([&](Graph& graph) {
              set(graph, {{3, 2}, {1, 2, 3, 4, 5, std::nanf("")}});
            }),
            "graph_constant_data");
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(LabelAfter([&](Graph& graph) {
              set(graph, {{3, 2}, {1, 2, 3, 4, 5, -infinity}});
            }),
            "graph_constant_data");
}

TEST(GraphVerify, GraphType_RecordedTypesAreTheInferredOnes) {
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.values[2].type.shape = {3, 1}; }), "graph_type");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.values[0].type.element = ElementType::kInt64; }),
            "graph_element_type");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.values[0].type.shape = {1, 3}; }), "graph_shape");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.nodes[2].operands = {2, 2}; }), "graph_operands");
}

TEST(GraphVerify, GraphOutputs_ThereIsOneAndItExists) {
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.outputs = {}; }), "graph_outputs");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.outputs = {{"z", 4}}; }), "graph_outputs");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.outputs = {{"z", -1}}; }), "graph_outputs");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.outputs = {{"", 3}}; }), "graph_outputs");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.outputs = {{"z", 3}, {"z", 2}}; }), "graph_outputs");
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.outputs = {{"a", 3}, {"b", 3}}; }), "");
}

TEST(GraphVerify, GraphValues_TheirNumberIsLimited) {
  EXPECT_EQ(LabelAfter([](Graph& graph) { graph.values.resize(kMaxValues + 1); }), "graph_values");
}

TEST(Op, NamesFollowTheOrderOfTheVariant) {
  EXPECT_EQ(OpName(Conv{}), "Conv");
  EXPECT_EQ(OpName(BatchNorm{}), "BatchNorm");
  EXPECT_EQ(OpName(Softmax{0}), "Softmax");
  EXPECT_EQ(OpName(Constant{}), "Constant");
  EXPECT_TRUE(IsWeightOperand(Dense{}, 1));
  EXPECT_FALSE(IsWeightOperand(Gather{}, 1));
  EXPECT_FALSE(IsWeightOperand(Dense{}, 0));
  EXPECT_FALSE(IsWeightOperand(MatMul{}, 1));
}

}  // namespace
}  // namespace tally::quant
