// The operators of family reduction, by hand-computed values: what they accept and what they give.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "quant/graph/testing/evaluate_op.h"

namespace tally::quant {
namespace {

TEST(Evaluate, ArgMaxTakesTheFirstOfEquals) {
  const FloatTensor x = F({2, 3}, {1, 5, 5, 7, 7, -1});
  EXPECT_EQ(EvaluateOp(ArgExtreme{1, true}, {x}), Tensor(I({2, 1}, {1, 0})));
  EXPECT_EQ(EvaluateOp(ArgExtreme{0, false}, {x}), Tensor(I({3}, {1, 1, 0})));
}

TEST(Evaluate, ReductionsOverAxes) {
  const FloatTensor x = F({2, 3, 2}, {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, 6});
  EXPECT_EQ(EvaluateOp(ReduceSum{{0, 2}}, {x}), Tensor(F({1, 3, 1}, {0, 0, 12})));
  EXPECT_EQ(EvaluateOp(ReduceSum{{1}, false, true}, {x}), Tensor(F({2, 2}, {3, 4, -3, 0})));
  EXPECT_EQ(EvaluateOp(ReduceExtreme{{1}, false}, {x}), Tensor(F({2, 2}, {5, 6, -1, 6})));
  EXPECT_EQ(EvaluateOp(ReduceExtreme{{0, 1, 2}, false, true}, {x}), Tensor(F({}, {-5})));
  // 2^24 + 1 + 1 - 2^24 is 0 in float32 arithmetic.
  EXPECT_EQ(EvaluateOp(ReduceSum{{0}, false}, {F({4}, {16777216, 1, 1, -16777216})}), Tensor(F({}, {2})));
}

TEST(Evaluate, ExtremesPassNaNOn) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const bool is_min : {false, true}) {
    const auto y = EvaluateOp(ReduceExtreme{{0}, false, is_min}, {F({3}, {1, nan, 2})});
    EXPECT_TRUE(std::isnan(std::get<FloatTensor>(y).data[0]));
  }
}

}  // namespace
}  // namespace tally::quant
