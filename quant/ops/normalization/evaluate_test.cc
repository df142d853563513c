// The operators of family normalization, by hand-computed values: what they accept and what they give.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "quant/graph/testing/evaluate_op.h"

namespace tally::quant {
namespace {

TEST(Evaluate, BatchNormNormalizesPerChannel) {
  const FloatTensor x = F({1, 2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(
      EvaluateOp(BatchNorm{0.0f}, {x, F({2}, {2, 1}), F({2}, {0, 10}), F({2}, {1, 3}), F({2}, {4, 0.25f})}),
      Tensor(F({1, 2, 2}, {0, 1, 10, 12})));
  EXPECT_EQ(EvaluateOp(BatchNorm{0.75f},
                       {x, F({2}, {1, 1}), F({2}, {0, 0}), F({2}, {0, 0}), F({2}, {0.25f, 0.25f})}),
            Tensor(x));
}

TEST(Evaluate, SoftmaxSumsToOneAlongItsAxis) {
  EXPECT_EQ(EvaluateOp(Softmax{1}, {F({1, 4}, {3, 3, 3, 3})}),
            Tensor(F({1, 4}, {0.25f, 0.25f, 0.25f, 0.25f})));
  EXPECT_EQ(EvaluateOp(Softmax{0}, {F({2, 2}, {5, 1, 5, 1})}), Tensor(F({2, 2}, {0.5f, 0.5f, 0.5f, 0.5f})));
  const auto y = std::get<FloatTensor>(EvaluateOp(Softmax{0}, {F({2}, {0, std::log(3.0f)})}));
  EXPECT_FLOAT_EQ(y.data[0], 0.25f);
  EXPECT_FLOAT_EQ(y.data[1], 0.75f);
}

TEST(Evaluate, SoftmaxOfLargeLogitsDoesNotOverflow) {
  EXPECT_EQ(EvaluateOp(Softmax{0}, {F({2}, {1e30f, -1e30f})}), Tensor(F({2}, {1, 0})));
}

TEST(Evaluate, LayerNormOverAxesWithBroadcastWeights) {
  const FloatTensor x = F({2, 2}, {1, 3, 10, 10});
  EXPECT_EQ(EvaluateOp(LayerNorm{{1}, 0}, {x}), Tensor(F({2, 2}, {-1, 1, 0, 0})));
  EXPECT_EQ(EvaluateOp(LayerNorm{{1}, 3}, {x, F({2}, {2, 4}), F({2, 1}, {0, 7})}),
            Tensor(F({2, 2}, {-1, 2, 7, 7})));
  EXPECT_EQ(EvaluateOp(LayerNorm{{0}, 0}, {F({2, 1}, {1, 3})}), Tensor(F({2, 1}, {-1, 1})));
}

TEST(Evaluate, RmsNormKeepsTheMean) {
  EXPECT_EQ(EvaluateOp(RmsNorm{{1}, 0}, {F({2, 2}, {5, 5, 0, 0})}), Tensor(F({2, 2}, {1, 1, 0, 0})));
  EXPECT_EQ(EvaluateOp(RmsNorm{{0}, 7}, {F({2}, {3, -3}), F({}, {8}), F({1}, {1})}), Tensor(F({2}, {7, -5})));
}

TEST(Evaluate, LogSoftmaxOfLargeLogitsDoesNotOverflow) {
  const auto y = std::get<FloatTensor>(EvaluateOp(LogSoftmax{0}, {F({3}, {1000, 1000, 0})}));
  EXPECT_FLOAT_EQ(y.data[0], -std::log(2.0f));
  EXPECT_FLOAT_EQ(y.data[2], -1000 - std::log(2.0f));
}

TEST(Evaluate, LocalResponseNormCutsItsWindow) {
  // Windows of 2 hold a channel and the next one: sums of squares 5, 8, 4.
  const auto y = EvaluateOp(LocalResponseNorm{2, 2, 1, 1}, {F({1, 3}, {1, 2, 2})});
  EXPECT_EQ(y, Tensor(F({1, 3}, {1.0f / 6, 2.0f / 9, 2.0f / 5})));
}

TEST(Evaluate, NormsPassNaNOn) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Op& op : {Op(LayerNorm{{1}}), Op(RmsNorm{{1}}), Op(LogSoftmax{1}), Op(LocalResponseNorm{3})}) {
    EXPECT_TRUE(std::isnan(std::get<FloatTensor>(EvaluateOp(op, {F({1, 2}, {nan, 1})})).data[0]))
        << OpName(op);
  }
}

}  // namespace
}  // namespace tally::quant
