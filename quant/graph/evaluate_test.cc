// Operators small enough to compute by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "quant/graph/testing/evaluate_op.h"

namespace tally::quant {
namespace {

FloatTensor F(Shape shape, std::vector<float> data) { return {std::move(shape), std::move(data)}; }
Int64Tensor I(Shape shape, std::vector<int64_t> data) { return {std::move(shape), std::move(data)}; }

TEST(Evaluate, DenseMultipliesByTheTranspose) {
  const FloatTensor x = F({2, 3}, {1, 2, 3, -1, 0, 1});
  const FloatTensor weight = F({2, 3}, {1, 0, -1, 2, 2, 2});
  EXPECT_EQ(EvaluateOp(Dense{}, {x, weight}), Tensor(F({2, 2}, {-2, 12, -2, 0})));
  EXPECT_EQ(EvaluateOp(Dense{}, {x, weight, F({2}, {10, 20})}), Tensor(F({2, 2}, {8, 32, 8, 20})));
}

TEST(Evaluate, MatMulBroadcastsBatches) {
  EXPECT_EQ(EvaluateOp(MatMul{0.5f}, {F({1, 2}, {1, 2}), F({2, 1}, {5, 6})}), Tensor(F({1, 1}, {8.5f})));
  EXPECT_EQ(EvaluateOp(MatMul{}, {F({2, 2}, {1, 2, 3, 4}), F({2, 1}, {5, 6})}), Tensor(F({2, 1}, {17, 39})));
  const FloatTensor a = F({2, 1, 1, 2}, {1, 2, 3, 4});
  const FloatTensor b = F({3, 2, 1}, {1, 0, 0, 1, 1, 1});
  EXPECT_EQ(EvaluateOp(MatMul{}, {a, b}), Tensor(F({2, 3, 1, 1}, {1, 2, 3, 3, 4, 7})));
}

TEST(Evaluate, SumsKeepWhatFloatWouldLose) {
  // 2^24 + 1 + 1 - 2^24 is 0 in float32 arithmetic.
  const FloatTensor x = F({1, 4}, {16777216, 1, 1, -16777216});
  EXPECT_EQ(EvaluateOp(Dense{}, {x, F({1, 4}, {1, 1, 1, 1})}), Tensor(F({1, 1}, {2})));
  EXPECT_EQ(EvaluateOp(MatMul{}, {x, F({4, 1}, {1, 1, 1, 1})}), Tensor(F({1, 1}, {2})));
}

TEST(Evaluate, AddBroadcasts) {
  EXPECT_EQ(EvaluateOp(Add{}, {F({2}, {1, 2}), F({2}, {10, 20})}), Tensor(F({2}, {11, 22})));
  EXPECT_EQ(EvaluateOp(Add{}, {F({2, 1}, {1, 2}), F({3}, {10, 20, 30})}),
            Tensor(F({2, 3}, {11, 21, 31, 12, 22, 32})));
  EXPECT_EQ(EvaluateOp(Add{}, {F({}, {1}), F({1, 2}, {10, 20})}), Tensor(F({1, 2}, {11, 21})));
}

TEST(Evaluate, ReluAndClip) {
  const float infinity = std::numeric_limits<float>::infinity();
  const FloatTensor x = F({4}, {-2, -0.5f, 0.5f, 9});
  EXPECT_EQ(EvaluateOp(Relu{}, {x}), Tensor(F({4}, {0, 0, 0.5f, 9})));
  EXPECT_EQ(EvaluateOp(Clip{0, 6}, {x}), Tensor(F({4}, {0, 0, 0.5f, 6})));
  EXPECT_EQ(EvaluateOp(Clip{-1, infinity}, {x}), Tensor(F({4}, {-1, -0.5f, 0.5f, 9})));
}

TEST(Evaluate, ReluAndClipPassNaNOn) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Op& op : {Op(Relu{}), Op(Clip{0, 6})}) {
    EXPECT_TRUE(std::isnan(std::get<FloatTensor>(EvaluateOp(op, {F({1}, {nan})})).data[0])) << OpName(op);
  }
}

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

TEST(Evaluate, LayoutMovesFloatsAndIntegers) {
  EXPECT_EQ(EvaluateOp(Reshape{{3, 2}}, {F({6}, {1, 2, 3, 4, 5, 6})}), Tensor(F({3, 2}, {1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(EvaluateOp(Transpose{{1, 0}}, {I({2, 3}, {1, 2, 3, 4, 5, 6})}),
            Tensor(I({3, 2}, {1, 4, 2, 5, 3, 6})));
  EXPECT_EQ(EvaluateOp(Transpose{{2, 0, 1}}, {F({1, 2, 3}, {1, 2, 3, 4, 5, 6})}),
            Tensor(F({3, 1, 2}, {1, 4, 2, 5, 3, 6})));
  EXPECT_EQ(EvaluateOp(Transpose{{}}, {F({}, {7})}), Tensor(F({}, {7})));
  EXPECT_EQ(EvaluateOp(Concat{1}, {F({2, 1}, {1, 2}), F({2, 2}, {3, 4, 5, 6})}),
            Tensor(F({2, 3}, {1, 3, 4, 2, 5, 6})));
  EXPECT_EQ(EvaluateOp(Concat{0}, {I({1}, {1}), I({2}, {2, 3})}), Tensor(I({3}, {1, 2, 3})));
  EXPECT_EQ(EvaluateOp(Constant{std::make_shared<const Tensor>(I({1}, {9}))}, {}), Tensor(I({1}, {9})));
}

}  // namespace
}  // namespace tally::quant
