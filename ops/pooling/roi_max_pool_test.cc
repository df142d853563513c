#include <gtest/gtest.h>

#include "ops/pooling/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase Pool(TestOperand x, TestOperand rois, TestOperand batch, const RoiAttrs& attrs) {
  return {.op = Opcode::kRoiMaxPool,
          .operands = {std::move(x), std::move(rois), std::move(batch)},
          .attributes = Pack(attrs)};
}

const TestOperand kX = Values({1, 1, 3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
const TestOperand kFirst = Values({1}, {0});

TEST(RoiMaxPool, TakesTheMaximumOfEachBin) {
  const auto y = RunOp(Pool(kX, Values({1, 4}, {1, 0, 3, 2}), kFirst, {.pooled_size = {2, 2}}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{7, 8, 11, 12}));  // bins of 3 pixels overlap in the middle
  EXPECT_EQ(y->types[0].ToString(), "[1,1,2,2] in [0, 12]");
  EXPECT_EQ(y->gas, 20 * 5 * 6 + 208 * 4 + 64 * 4 + 512);
}

TEST(RoiMaxPool, BinsAreExactQuotients) {
  // Single precision puts bin 6 of 7 over 57 pixels at [48, 58): a column too many.
  Ints row(60);
  for (int64_t i = 0; i < 60; ++i) row[i] = i;
  const auto y =
      RunOp(Pool(Values({1, 1, 1, 60}, row), Values({1, 4}, {0, 0, 56, 0}), kFirst, {.pooled_size = {1, 7}}));
  EXPECT_EQ(y->values[0], (Ints{8, 16, 24, 32, 40, 48, 56}));
}

TEST(RoiMaxPool, EmptyBinsAreZeroAndNegativeMaximaStay) {
  const TestOperand x = Values({1, 1, 1, 2}, {-5, -6});
  EXPECT_EQ(RunOp(Pool(x, Values({2, 4}, {0, 0, 1, 0, 5, 5, 6, 6}), Values({2}, {0, 0}), {}))->values[0],
            (Ints{-5, 0}));
}

TEST(RoiMaxPool, C1_RefusesImagesOfOtherRanks) {
  EXPECT_EQ(LabelOf(Pool(Values({1, 1}, {0}), Values({1, 4}, {0, 0, 0, 0}), kFirst, {})), "roi_max_pool_c1");
}

TEST(RoiMaxPool, C2_RefusesRegionsAndBatchesOfOtherShapes) {
  EXPECT_EQ(LabelOf(Pool(kX, Values({1, 5}, {0, 0, 0, 0, 0}), kFirst, {})), "roi_max_pool_c2");
  EXPECT_EQ(LabelOf(Pool(kX, Values({1, 4}, {0, 0, 0, 0}), Values({2}, {0, 0}), {})), "roi_max_pool_c2");
}

TEST(RoiMaxPool, C3_AcceptsNoRegionWhosePositionsLeave64Bits) {
  int accepted = 0;
  for (int bits = 30; bits < 64; ++bits) {
    const int64_t far = (uint64_t{1} << bits) - 1;
    const OpCase test =
        Pool(kX, Constant({3, 4}, {-far, far, far, -far, far, far, -far, -far, -far, -far, far, far}),
             Values({3}, {0, 0, 0}), {.pooled_size = {3, 2}, .multiplier = 7, .shift = 2});
    accepted += RunOp(test).ok();
    EXPECT_EQ(LabelOf(test), bits < 56 ? "" : "roi_max_pool_c3") << bits;
  }
  EXPECT_EQ(accepted, 26);
}

}  // namespace
}  // namespace tally
