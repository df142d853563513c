// The types of the results of family reduction, and the refusals.
#include <gtest/gtest.h>

#include <vector>

#include "quant/graph/infer_type.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

template <typename Reduce>
void ExpectReductionRules() {
  EXPECT_EQ(InferFloatOp(Reduce{{0, 2}, true}, {{2, 3, 4}}), "float32[1, 3, 1]");
  EXPECT_EQ(InferFloatOp(Reduce{{0, 2}, false}, {{2, 3, 4}}), "float32[3]");
  EXPECT_EQ(InferFloatOp(Reduce{{0, 1}, false}, {{2, 3}}), "float32[]");
  for (const std::vector<int64_t>& axes : std::vector<std::vector<int64_t>>{{}, {-1}, {2}, {1, 1}, {1, 0}}) {
    EXPECT_EQ(InferFloatOp(Reduce{axes, true}, {{2, 3}}), "graph_attribute");
  }
}

TEST(InferType, ReductionsOverAxesThatAscend) {
  ExpectReductionRules<ReduceSum>();
  ExpectReductionRules<ReduceExtreme>();
}

}  // namespace
}  // namespace tally::quant
