// Large layers beside the definitions of their operators: the same sums, in another order and in float32.
#include "quant/graph/heavy_layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"

// A function of the OpenMP runtime that Debian's oneDNN is linked with.
extern "C" void omp_set_num_threads(int threads);

namespace tally::quant {
namespace {

class HeavyLayerTest : public testing::Test {
 protected:
  FloatTensor Draw(const Shape& shape) {
    FloatTensor x = ZeroTensor(shape);
    std::normal_distribution<float> normal;
    for (float& element : x.data) element = normal(random_);
    return x;
  }

  // y of operands, of which all but the first are constants, or none.
  Graph GraphOf(const Op& op, const std::vector<FloatTensor>& operands, bool constants) {
    GraphBuilder b("layer");
    std::vector<ValueId> ids;
    for (size_t i = 0; i < operands.size(); ++i) {
      const std::string name = "v" + std::to_string(i);
      ids.push_back(i > 0 && constants ? *b.AddConstant(name, operands[i])
                                       : *b.AddInput(name, operands[i].shape));
    }
    b.AddOutput(*b.AddNode(op, ids, "y", "node"));
    return *std::move(b).Build();
  }

  void ExpectTheDefinition(const Op& op, const std::vector<Shape>& shapes, bool constants = true) {
    std::vector<FloatTensor> operands;
    for (const Shape& shape : shapes) operands.push_back(Draw(shape));
    const Graph graph = GraphOf(op, operands, constants);
    const Node& node = graph.nodes.back();
    ASSERT_NE(MakeHeavyLayer(graph, node), nullptr);
    std::vector<Tensor> tensors(operands.begin(), operands.end());
    std::vector<const Tensor*> pointers;
    for (const Tensor& tensor : tensors) pointers.push_back(&tensor);
    const Tensor expected = EvaluateNode(op, pointers, graph.values[node.result].type);
    const std::vector<float>& e = Float(&expected).data;
    double largest = 0;
    for (const float v : e) largest = std::max(largest, std::abs(double{v}));
    for (const int threads : {1, 2, 3}) {
      omp_set_num_threads(threads);
      const Tensor got = MakeHeavyLayer(graph, node)->Run(pointers);
      ASSERT_EQ(ShapeOf(expected), ShapeOf(got));
      const std::vector<float>& g = Float(&got).data;
      for (size_t i = 0; i < e.size(); ++i)
        ASSERT_NEAR(e[i], g[i], 1e-5 * largest) << i << " of " << threads << " threads";
      EXPECT_EQ(MakeHeavyLayer(graph, node)->Run(pointers), got) << threads << " threads, again";
    }
  }

  std::mt19937 random_{1};
};

TEST_F(HeavyLayerTest, ConvolvesAsTheDefinition) {
  const Conv same = {.stride = {1, 1}, .dilation = {1, 1}, .pad = {1, 1, 1, 1}};
  ExpectTheDefinition(same, {{1, 32, 28, 28}, {32, 32, 3, 3}, {32}});
  ExpectTheDefinition(same, {{2, 3, 64, 64}, {20, 3, 3, 3}});
  const Conv uneven = {.stride = {2, 1}, .dilation = {1, 2}, .pad = {0, 1, 2, 3}};
  ExpectTheDefinition(uneven, {{1, 24, 40, 41}, {40, 24, 3, 5}, {40}});
  Conv grouped = same;
  grouped.groups = 4;
  ExpectTheDefinition(grouped, {{1, 64, 30, 30}, {64, 16, 3, 3}, {64}});
  const Conv pointwise = {.stride = {1, 1}, .dilation = {1, 1}};
  ExpectTheDefinition(pointwise, {{1, 256, 14, 14}, {128, 256, 1, 1}, {128}});
  Conv depthwise = same;
  depthwise.groups = 144;
  ExpectTheDefinition(depthwise, {{1, 144, 60, 60}, {144, 1, 3, 3}, {144}});
}

TEST_F(HeavyLayerTest, MultipliesAsTheDefinition) {
  ExpectTheDefinition(Dense{}, {{4, 2048}, {1000, 2048}, {1000}});
  ExpectTheDefinition(Dense{}, {{1, 4096}, {2048, 4096}});
  ExpectTheDefinition(MatMul{}, {{2, 64, 256}, {256, 512}});
  ExpectTheDefinition(MatMul{}, {{2, 8, 64, 64}, {2, 8, 64, 128}}, /*constants=*/false);
  ExpectTheDefinition(MatMul{.factor = 0.125f}, {{8, 64, 64}, {3, 1, 64, 128}}, /*constants=*/false);
}

TEST_F(HeavyLayerTest, LeavesSmallLayersAndOtherOperatorsToTheirDefinitions) {
  const Graph small = GraphOf(Dense{}, {Draw({1, 64}), Draw({10, 64})}, true);
  EXPECT_EQ(MakeHeavyLayer(small, small.nodes.back()), nullptr);
  const Graph relu = GraphOf(Relu{}, {Draw({1, 64, 512, 512})}, true);
  EXPECT_EQ(MakeHeavyLayer(relu, relu.nodes.back()), nullptr);
}

}  // namespace
}  // namespace tally::quant
