#include "quant/graph/float_executor.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "quant/graph/graph_builder.h"

namespace tally::quant {
namespace {

// relu(x + c), its index of the largest, and x itself as the outputs.
Graph Sample() {
  GraphBuilder builder("sample");
  const ValueId x = *builder.AddInput("x", {1, 3});
  const ValueId c = *builder.AddConstant("c", FloatTensor{{3}, {1, 2, -3}});
  const ValueId sum = *builder.AddNode(Add{}, {x, c}, "sum", "add");
  const ValueId relu = *builder.AddNode(Relu{}, {sum}, "relu", "relu");
  const ValueId index = *builder.AddNode(ArgExtreme{1, false}, {relu}, "index", "argmax");
  for (const ValueId output : {relu, index, x, c}) builder.AddOutput(output);
  return *std::move(builder).Build();
}

TEST(FloatExecutor, ReturnsOutputsInOrder) {
  const std::vector<FloatTensor> inputs = {{{1, 3}, {-4, 5, 1}}};
  const auto outputs = RunGraph(Sample(), inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_EQ(*outputs, (std::vector<Tensor>{FloatTensor{{1, 3}, {0, 7, 0}}, Int64Tensor{{1}, {1}}, inputs[0],
                                           FloatTensor{{3}, {1, 2, -3}}}));
}

// Adjusted values are those that operators read and the observer sees; inputs too, but no integers.
TEST(FloatExecutor, AdjustsValuesBeforeTheyAreRead) {
  const Graph graph = Sample();
  const std::vector<FloatTensor> inputs = {{{1, 3}, {-4, 5, 1}}};
  std::vector<float> first;
  FloatExecutor executor(graph);
  const auto outputs =
      executor.Run(inputs, {.observer = [&](ValueId, const FloatTensor& x) { first.push_back(x.data[0]); },
                            .adjust =
                                [&](ValueId value, FloatTensor& x) {
                                  if (graph.values[value].name == "sum") x.data[0] = 9;
                                }});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_EQ(first, (std::vector<float>{-4, 9, 9}));
  EXPECT_EQ(std::get<FloatTensor>((*outputs)[0]).data, (std::vector<float>{9, 7, 0}));
}

TEST(FloatExecutor, ObserverSeesEveryFloatValueButConstants) {
  const Graph graph = Sample();
  const std::vector<FloatTensor> inputs = {{{1, 3}, {-4, 5, 1}}};
  std::vector<std::string> names;
  std::vector<float> first;
  const auto outputs = RunGraph(graph, inputs, [&](ValueId value, const FloatTensor& tensor) {
    names.push_back(graph.values[value].name);
    first.push_back(tensor.data[0]);
  });
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_EQ(names, (std::vector<std::string>{"x", "sum", "relu"}));
  EXPECT_EQ(first, (std::vector<float>{-4, -3, 0}));
}

TEST(FloatExecutor, GraphRunInputs_MustMatchTheGraph) {
  const Graph graph = Sample();
  const FloatTensor good = {{1, 3}, {1, 2, 3}};
  for (const std::vector<FloatTensor>& inputs :
       std::vector<std::vector<FloatTensor>>{{}, {good, good}, {{{3}, {1, 2, 3}}}, {{{1, 3}, {1, 2}}}}) {
    EXPECT_EQ(ErrorLabel(RunGraph(graph, inputs).status()), "graph_run_inputs");
  }
}

}  // namespace
}  // namespace tally::quant
