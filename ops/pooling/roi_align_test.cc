#include <gtest/gtest.h>

#include "ops/pooling/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

RoiAlignAttrs Attrs(RoiAlignMode mode, bool half_pixel, int64_t sampling_ratio, int64_t fraction = 0) {
  RoiAlignAttrs attrs;
  attrs.fraction = fraction;
  attrs.mode = mode;
  attrs.half_pixel = half_pixel;
  attrs.sampling_ratio = sampling_ratio;
  return attrs;
}

OpCase Align(TestOperand x, TestOperand rois, TestOperand batch, const RoiAlignAttrs& attrs) {
  return {.op = Opcode::kRoiAlign,
          .operands = {std::move(x), std::move(rois), std::move(batch)},
          .attributes = Pack(attrs)};
}

const TestOperand kX = Values({1, 1, 2, 4}, {0, 8, 16, 24, 32, 40, 48, 56});
const TestOperand kFirst = Values({1}, {0});

TEST(RoiAlign, AveragesSamplesBetweenPixels) {
  const TestOperand rois = Values({1, 4}, {0, 0, 4, 2});
  const auto y = RunOp(Align(kX, rois, kFirst, Attrs(RoiAlignMode::kAverage, true, 2)));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{28}));
  EXPECT_EQ(y->types[0].ToString(), "[1,1,1,1] in [0, 56]");
  EXPECT_EQ(y->gas, 4 * 280 + 320 + 64 * 1 + 2048);
  // One sample for every begun pixel: 2 x 4 of them, at the pixels themselves.
  EXPECT_EQ(RunOp(Align(kX, rois, kFirst, Attrs(RoiAlignMode::kAverage, true, 0)))->values[0], (Ints{28}));
}

TEST(RoiAlign, TheThreeModesDiffer) {
  const TestOperand rois = Values({1, 4}, {2, 1, 2, 1}, {0, 4});  // one pixel long without half pixels
  const auto at = [&](RoiAlignMode mode) {
    return RunOp(Align(kX, rois, kFirst, Attrs(mode, false, 2, 1)))->values[0][0];
  };
  // Rows 3/4 and 1 (the border), columns 5/4 and 7/4 of a plane that grows by 32 and by 8.
  EXPECT_EQ(at(RoiAlignMode::kAverage), 40);
  EXPECT_EQ(at(RoiAlignMode::kMax), 46);
  EXPECT_EQ(at(RoiAlignMode::kMaxTap), 36);  // 48 * 3/4
}

TEST(RoiAlign, ARegionWithoutAreaHasNoSamples) {
  const TestOperand rois = Values({2, 4}, {1, 1, 1, 1, 3, 1, 1, 1});
  EXPECT_EQ(RunOp(Align(kX, rois, Values({2}, {0, 0}), Attrs(RoiAlignMode::kAverage, true, 0)))->values[0],
            (Ints{0, 0}));
}

TEST(RoiAlign, MaximaMayBeNegative) {
  const TestOperand x = Values({1, 1, 1, 2}, {-8, -4});
  EXPECT_EQ(
      RunOp(Align(x, Values({1, 4}, {0, 0, 2, 1}), kFirst, Attrs(RoiAlignMode::kMax, true, 1)))->values[0],
      (Ints{-6}));
}

TEST(RoiAlign, C1_RefusesImagesOfOtherRanks) {
  EXPECT_EQ(LabelOf(Align(Values({1, 1}, {0}), Values({1, 4}, {0, 0, 0, 0}), kFirst, {})), "roi_align_c1");
}

TEST(RoiAlign, C2_RefusesRegionsAndBatchesOfOtherShapes) {
  EXPECT_EQ(LabelOf(Align(kX, Values({4}, {0, 0, 0, 0}), kFirst, {})), "roi_align_c2");
  EXPECT_EQ(LabelOf(Align(kX, Values({1, 4}, {0, 0, 0, 0}), Values({1, 1}, {0}), {})), "roi_align_c2");
}

TEST(RoiAlign, C3_AcceptsNoRegionWhosePositionsLeave64Bits) {
  for (const bool half_pixel : {false, true}) {
    for (const RoiAlignMode mode : {RoiAlignMode::kAverage, RoiAlignMode::kMax, RoiAlignMode::kMaxTap}) {
      int accepted = 0;
      for (int bits = 30; bits < 64; ++bits) {
        const int64_t far = (uint64_t{1} << bits) - 1;
        RoiAlignAttrs attrs = Attrs(mode, half_pixel, 2, 3);
        attrs.multiplier = 7;
        const OpCase test =
            Align(kX, Constant({3, 4}, {-far, far, far, -far, far, far, -far, -far, -far, -far, far, far}),
                  Values({3}, {0, 0, 0}), attrs);
        accepted += RunOp(test).ok();
        EXPECT_EQ(LabelOf(test), bits < 54 ? "" : "roi_align_c3") << bits;
      }
      EXPECT_EQ(accepted, 24);
    }
  }
}

TEST(RoiAlign, C4_RefusesSumsThatLeave64Bits) {
  const TestOperand rois = Values({1, 4}, {0, 0, 1, 1});
  EXPECT_EQ(LabelOf(Align(kX, rois, kFirst, Attrs(RoiAlignMode::kAverage, true, 2, 26))), "roi_align_c4");
  EXPECT_EQ(LabelOf(Align(kX, rois, kFirst, Attrs(RoiAlignMode::kAverage, true, 2, 20))), "");
  // Without a ratio the interval bounds the samples.
  EXPECT_EQ(LabelOf(Align(kX, Values({1, 4}, {0, 0, 1, 1}, {0, 1 << 20}), kFirst,
                          Attrs(RoiAlignMode::kAverage, true, 0))),
            "roi_align_c4");
}

}  // namespace
}  // namespace tally
