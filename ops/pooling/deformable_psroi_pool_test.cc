#include <gtest/gtest.h>

#include "ops/pooling/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

DeformablePsroiPoolAttrs Attrs(std::vector<int64_t> pooled, std::vector<int64_t> samples = {1, 1}) {
  DeformablePsroiPoolAttrs attrs;
  attrs.pooled_size = std::move(pooled);
  attrs.spatial_bins = std::move(samples);
  return attrs;
}

OpCase Pool(std::vector<TestOperand> operands, const DeformablePsroiPoolAttrs& attrs) {
  return {.op = Opcode::kDeformablePsroiPool, .operands = std::move(operands), .attributes = Pack(attrs)};
}

const TestOperand kX = Values({1, 2, 1, 4}, {0, 16, 32, 48, 100, 116, 132, 148});
const TestOperand kRois = Values({1, 4}, {0, 0, 3, 0});
const TestOperand kFirst = Values({1}, {0});

TEST(DeformablePsroiPool, AveragesSamplesThatLieInside) {
  // The region is [-1/2, 7/2): bins start at -1/2, which is the border, and at 3/2.
  const auto y = RunOp(Pool({kX, kRois, kFirst}, Attrs({1, 2})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{0, 124}));
  EXPECT_EQ(y->types[0].ToString(), "[1,1,1,2] in [0, 148]");
  EXPECT_EQ(y->gas, 2 * (160 + 544) + 64 * 2 + 1024);
  EXPECT_EQ(RunOp(Pool({kX, kRois, kFirst}, Attrs({1, 2}, {1, 2})))->values[0], (Ints{4, 132}));
}

TEST(DeformablePsroiPool, OffsetsMoveBinsBySides) {
  DeformablePsroiPoolAttrs attrs = Attrs({1, 2});
  attrs.offset_fraction = 3;
  // Along W: 3/8 of 4 pixels, and out of the plane.
  const TestOperand offsets = Values({1, 2, 1, 2}, {3, -6, 0, 0});
  EXPECT_EQ(RunOp(Pool({kX, kRois, kFirst, offsets}, attrs))->values[0], (Ints{16, 0}));
}

TEST(DeformablePsroiPool, RoundsPositionsToTheirFraction) {
  DeformablePsroiPoolAttrs attrs = Attrs({1, 2});
  attrs.position_fraction = 0;
  EXPECT_EQ(RunOp(Pool({kX, kRois, kFirst}, attrs))->values[0], (Ints{0, 132}));  // 3/2 goes up
}

TEST(DeformablePsroiPool, C1_RefusesImagesOfOtherRanks) {
  EXPECT_EQ(LabelOf(Pool({Values({1, 1}, {0}), kRois, kFirst}, {})), "deformable_psroi_pool_c1");
}

TEST(DeformablePsroiPool, C2_RefusesRegionsAndBatchesOfOtherShapes) {
  EXPECT_EQ(LabelOf(Pool({kX, Values({1, 5}, {0, 0, 0, 0, 0}), kFirst}, {})), "deformable_psroi_pool_c2");
}

TEST(DeformablePsroiPool, C3_RefusesChannelsThatTheBinsDoNotDivide) {
  EXPECT_EQ(LabelOf(Pool({kX, kRois, kFirst}, Attrs({3, 1}))), "deformable_psroi_pool_c3");
}

TEST(DeformablePsroiPool, C4_RefusesOffsetsOfOtherShapes) {
  const auto with = [](TestOperand offsets) {
    return LabelOf(Pool({kX, kRois, kFirst, std::move(offsets)}, {}));
  };
  EXPECT_EQ(with(Values({1, 2, 1, 1}, {0, 0})), "");
  EXPECT_EQ(with(Values({1, 1, 1, 1}, {0})), "deformable_psroi_pool_c4");
  EXPECT_EQ(with(Values({2, 2, 1, 1}, {0, 0, 0, 0})), "deformable_psroi_pool_c4");
  EXPECT_EQ(with(Values({1, 6, 1, 1}, {0, 0, 0, 0, 0, 0})), "deformable_psroi_pool_c4");
}

TEST(DeformablePsroiPool, C5_AcceptsNoRegionOrOffsetWhosePositionsLeave64Bits) {
  for (const bool far_offsets : {false, true}) {
    int accepted = 0;
    for (int bits = 20; bits < 64; ++bits) {
      const int64_t far = (uint64_t{1} << bits) - 1, near = far_offsets ? 9 : far,
                    move = far_offsets ? far : 5;
      DeformablePsroiPoolAttrs attrs = Attrs({1, 2}, {2, 1});
      attrs.offset_fraction = 2;
      const OpCase test = Pool(
          {kX,
           Constant({3, 4}, {-near, near, near, -near, near, near, -near, -near, -near, -near, near, near}),
           Values({3}, {0, 0, 0}), Constant({3, 2, 1, 1}, {move, -move, -move, move, move, move})},
          attrs);
      const bool ok = RunOp(test).ok();
      accepted += ok;
      EXPECT_EQ(LabelOf(test), ok ? "" : "deformable_psroi_pool_c5");
    }
    EXPECT_GT(accepted, 20);
    EXPECT_LT(accepted, 40);
  }
}

TEST(DeformablePsroiPool, C6_RefusesSumsThatLeave64Bits) {
  DeformablePsroiPoolAttrs attrs = Attrs({1, 1});
  attrs.position_fraction = 20;
  attrs.result_fraction = 20;
  EXPECT_EQ(LabelOf(Pool({kX, kRois, kFirst}, attrs)), "deformable_psroi_pool_c6");
}

}  // namespace
}  // namespace tally
