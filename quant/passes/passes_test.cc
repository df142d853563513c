#include "quant/passes/passes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "quant/graph/graph_builder.h"

namespace tally::quant {
namespace {

Graph WithBatchNorm() {
  GraphBuilder b("net");
  const ValueId x = *b.AddInput("x", {1, 2, 3, 3});
  std::vector<ValueId> operands = {x};
  for (const char* name : {"scale", "bias", "mean", "variance"}) {
    operands.push_back(*b.AddConstant(name, FloatTensor{{2}, {1, 2}}));
  }
  b.AddOutput(*b.AddNode(BatchNorm{}, operands, "y", "node 0"));
  return *std::move(b).Build();
}

bool HasBatchNorm(const Graph& graph) {
  return std::ranges::any_of(graph.nodes,
                             [](const Node& n) { return std::holds_alternative<BatchNorm>(n.op); });
}

TEST(RunPasses, RunsAllButThoseThatAreSwitchedOff) {
  EXPECT_FALSE(HasBatchNorm(*RunPasses(WithBatchNorm(), {})));
  EXPECT_TRUE(HasBatchNorm(*RunPasses(WithBatchNorm(), {"fold_batch_norm"})));
}

TEST(RunPasses, RefusesNamesThatNoPassHas) {
  EXPECT_EQ(ErrorLabel(RunPasses(WithBatchNorm(), {"fold"}).status()), "pass_unknown");
}

}  // namespace
}  // namespace tally::quant
