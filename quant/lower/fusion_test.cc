#include "quant/lower/fusion.h"

#include <gtest/gtest.h>

#include "quant/graph/graph_builder.h"

namespace tally::quant {
namespace {

TEST(FuseActivations, AbsorbsAChainOfActivationsBehindOneReader) {
  GraphBuilder b("chain");
  const ValueId x = *b.AddInput("x", {1, 4});
  const ValueId w = *b.AddConstant("w", FloatTensor{{2, 4}, std::vector<float>(8, 1)});
  const ValueId y = *b.AddNode(Dense{}, {x, w}, "y", "fc");
  const ValueId relu = *b.AddNode(Relu{}, {y}, "relu", "relu");
  const ValueId six = *b.AddNode(Clip{-1, 6}, {relu}, "six", "clip");
  b.AddOutput(six);
  const Graph graph = *std::move(b).Build();
  const std::vector<Fusion> fusions = FuseActivations(graph);
  const Fusion& dense = fusions[graph.values[y].producer];
  EXPECT_EQ(dense.output, six);
  EXPECT_EQ(dense.bounds.low, 0);
  EXPECT_EQ(dense.bounds.high, 6);
  EXPECT_TRUE(fusions[graph.values[relu].producer].absorbed);
  EXPECT_TRUE(fusions[graph.values[six].producer].absorbed);
}

TEST(FuseActivations, LeavesAnActivationWhoseOperandOthersRead) {
  GraphBuilder b("shared");
  const ValueId x = *b.AddInput("x", {1, 4});
  const ValueId sum = *b.AddNode(Add{}, {x, x}, "sum", "add");
  const ValueId relu = *b.AddNode(Relu{}, {sum}, "relu", "relu");
  b.AddOutput(sum);
  b.AddOutput(relu);
  const Graph graph = *std::move(b).Build();
  const std::vector<Fusion> fusions = FuseActivations(graph);
  EXPECT_EQ(fusions[graph.values[sum].producer].output, sum);
  EXPECT_FALSE(fusions[graph.values[relu].producer].absorbed);
}

TEST(FuseActivations, NeverFusesIntoWhatKeepsItsGrid) {
  GraphBuilder b("pool");
  const ValueId x = *b.AddInput("x", {1, 1, 4, 4});
  const ValueId pool = *b.AddNode(MaxPool{{2, 2}, {2, 2}, {}}, {x}, "pool", "pool");
  const ValueId relu = *b.AddNode(Relu{}, {pool}, "relu", "relu");
  b.AddOutput(relu);
  const Graph graph = *std::move(b).Build();
  EXPECT_FALSE(FuseActivations(graph)[graph.values[relu].producer].absorbed);
}

}  // namespace
}  // namespace tally::quant
