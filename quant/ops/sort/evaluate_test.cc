// The operators of family sort, by hand-computed values: what they accept and what they give.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "quant/graph/testing/evaluate_op.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

constexpr TopK kIndices = {.axis = 1, .k = 2, .result = TopKResult::kIndices};
constexpr NonMaxSuppression kCount = {.max_per_class = 2, .result = SuppressionResult::kCount};

TEST(SelectionOps, Intervals) {
  const std::vector<std::optional<Interval>> known = {Interval{-5, 40}, std::nullopt};
  EXPECT_EQ((TopK{1, 2}.IntervalFrom(known, {IntegerType({2, 3})})), (Interval{-5, 40}));
  EXPECT_EQ(kIndices.IntervalFrom(known, {IntegerType({2, 3})}), (Interval{0, 2}));
  const OperandTypes types = {FloatType({2, 5, 4}), FloatType({2, 7, 5})};
  EXPECT_EQ(NonMaxSuppression{}.IntervalFrom({}, types), (Interval{-1, 6}));
  EXPECT_EQ(kCount.IntervalFrom({}, types), (Interval{0, 14}));
}

TEST(SelectionOps, ValuesThatAreNoneComeFirstSoThatCalibrationFindsThem) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = FloatTensor{{1, 5}, {4, nan, 7, nan, 9}};
  EXPECT_EQ(EvaluateOp({TopK{1, 4, false, TopKResult::kIndices}}, {x}),
            Tensor(Int64Tensor{{1, 4}, {1, 3, 4, 2}}));
  EXPECT_EQ(EvaluateOp({TopK{1, 3, true, TopKResult::kIndices}}, {x}),
            Tensor(Int64Tensor{{1, 3}, {1, 3, 0}}));
}

}  // namespace
}  // namespace tally::quant
