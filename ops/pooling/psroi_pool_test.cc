#include <gtest/gtest.h>

#include "ops/pooling/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

PsroiPoolAttrs Attrs(PsroiMode mode, std::vector<int64_t> pooled, std::vector<int64_t> parts = {1, 1}) {
  PsroiPoolAttrs attrs;
  attrs.pooled_size = std::move(pooled);
  attrs.mode = mode;
  attrs.spatial_bins = std::move(parts);
  return attrs;
}

OpCase Pool(TestOperand x, TestOperand rois, TestOperand batch, const PsroiPoolAttrs& attrs) {
  return {.op = Opcode::kPsroiPool,
          .operands = {std::move(x), std::move(rois), std::move(batch)},
          .attributes = Pack(attrs)};
}

const TestOperand kX = Values({1, 2, 1, 3}, {0, 10, 20, 100, 110, 120});
const TestOperand kFirst = Values({1}, {0});

TEST(PsroiPool, AveragesEachBinInItsChannel) {
  const auto y = RunOp(Pool(kX, Values({1, 4}, {0, 0, 2, 0}), kFirst, Attrs(PsroiMode::kAverage, {1, 2})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{5, 115}));  // [0, 3/2) and [3/2, 3) touch two pixels each
  EXPECT_EQ(y->types[0].ToString(), "[1,1,1,2] in [0, 120]");
  EXPECT_EQ(y->gas, 5 * 2 * 5 + 256 * 2 + 160 * 2 + 512);
}

TEST(PsroiPool, BilinearTakesAPointOfEachPart) {
  // Parts are the halves of the width; a lone point is the middle of each, in its channel.
  const auto y =
      RunOp(Pool(kX, Values({1, 4}, {0, 0, 1, 1}), kFirst, Attrs(PsroiMode::kBilinear, {1, 1}, {1, 2})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{60}));  // (5 + 115) / 2
  EXPECT_EQ(y->gas, 2 * 96 + 144 + 160 * 1 + 512);
}

TEST(PsroiPool, EmptyBinsAndPointsOutsideAreZero) {
  EXPECT_EQ(
      RunOp(Pool(kX, Values({1, 4}, {5, 0, 9, 0}), kFirst, Attrs(PsroiMode::kAverage, {1, 2})))->values[0],
      (Ints{0, 0}));
  EXPECT_EQ(
      RunOp(Pool(kX, Values({1, 4}, {-2, 0, 0, 0}), kFirst, Attrs(PsroiMode::kBilinear, {1, 2})))->values[0],
      (Ints{0, 0, 0, 100}));
}

TEST(PsroiPool, C1_RefusesImagesOfOtherRanks) {
  EXPECT_EQ(LabelOf(Pool(Values({1, 1}, {0}), Values({1, 4}, {0, 0, 0, 0}), kFirst, {})), "psroi_pool_c1");
}

TEST(PsroiPool, C2_RefusesRegionsAndBatchesOfOtherShapes) {
  EXPECT_EQ(LabelOf(Pool(kX, Values({1, 5}, {0, 0, 0, 0, 0}), kFirst, {})), "psroi_pool_c2");
}

TEST(PsroiPool, C3_RefusesChannelsThatTheGroupsDoNotDivide) {
  const TestOperand rois = Values({1, 4}, {0, 0, 0, 0});
  EXPECT_EQ(LabelOf(Pool(kX, rois, kFirst, Attrs(PsroiMode::kAverage, {3, 1}))), "psroi_pool_c3");
  EXPECT_EQ(LabelOf(Pool(kX, rois, kFirst, Attrs(PsroiMode::kBilinear, {1, 1}, {2, 2}))), "psroi_pool_c3");
}

TEST(PsroiPool, C4_AcceptsNoRegionWhosePositionsLeave64Bits) {
  for (const PsroiMode mode : {PsroiMode::kAverage, PsroiMode::kBilinear}) {
    int accepted = 0;
    for (int bits = 30; bits < 64; ++bits) {
      const int64_t far = (uint64_t{1} << bits) - 1;
      PsroiPoolAttrs attrs = Attrs(mode, {2, 1}, {1, 2});
      attrs.multiplier = 7;
      const OpCase test =
          Pool(kX, Constant({3, 4}, {-far, far, far, -far, far, far, -far, -far, -far, -far, far, far}),
               Values({3}, {0, 0, 0}), attrs);
      accepted += RunOp(test).ok();
      EXPECT_EQ(LabelOf(test), bits < (mode == PsroiMode::kAverage ? 56 : 54) ? "" : "psroi_pool_c4") << bits;
    }
    EXPECT_EQ(accepted, mode == PsroiMode::kAverage ? 26 : 24);
  }
}

TEST(PsroiPool, C5_RefusesSumsThatLeave64Bits) {
  PsroiPoolAttrs attrs = Attrs(PsroiMode::kBilinear, {2, 1});
  attrs.fraction = 28;
  EXPECT_EQ(LabelOf(Pool(kX, Values({1, 4}, {0, 0, 1, 1}), kFirst, attrs)), "psroi_pool_c5");
}

}  // namespace
}  // namespace tally
