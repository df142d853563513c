#include <gtest/gtest.h>

#include <random>

#include "ops/detection/lowering/attrs.h"
#include "ops/detection/lowering/exact_boxes.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

using detection::Fraction;
using detection::Rational;
using detection::RoundWithRoot;

TEST(RoundWithRoot, RoundsHalvesUp) {
  EXPECT_EQ(RoundWithRoot(Fraction(1, 2), 1, 0), 1);
  EXPECT_EQ(RoundWithRoot(Fraction(-1, 2), 1, 0), 0);
  EXPECT_EQ(RoundWithRoot(Fraction(-3, 2), -1, 0), -1);
  EXPECT_EQ(RoundWithRoot(0, 1, Fraction(9, 4)), 2);    // 3/2
  EXPECT_EQ(RoundWithRoot(0, -1, Fraction(9, 4)), -1);  // -3/2
  EXPECT_EQ(RoundWithRoot(0, 1, 2), 1);
  EXPECT_EQ(RoundWithRoot(0, -1, 2), -1);
  EXPECT_EQ(RoundWithRoot(Fraction(1, 10), -1, 2), -1);
}

// y - 1/2 <= base + sign * sqrt(square) < y + 1/2, by squares.
TEST(RoundWithRoot, IsTheNearestInteger) {
  std::mt19937_64 random(2);
  const auto below = [](const Rational& bound, int sign,
                        const Rational& square) {  // bound <= sign * sqrt(square)
    if (sign > 0) return bound <= 0 || bound * bound <= square;
    return bound <= 0 && bound * bound >= square;
  };
  for (int i = 0; i < 5000; ++i) {
    const Rational base = Fraction(static_cast<int64_t>(random() % 20001) - 10000, 1 + random() % 50);
    const Rational square = Fraction(static_cast<int64_t>(random() % 100000), 1 + random() % 64);
    const int sign = random() % 2 == 0 ? 1 : -1;
    const Rational y(RoundWithRoot(base, sign, square));
    EXPECT_TRUE(below(y - Fraction(1, 2) - base, sign, square)) << base << " " << sign << " " << square;
    EXPECT_FALSE(below(y + Fraction(1, 2) - base, sign, square)) << base << " " << sign << " " << square;
  }
}

TEST(PriorBox, AreSquaresRoundTheMiddlesOfCells) {
  const auto y = RunLowering({.name = "prior_box",
                              .attributes = Pack(PriorBoxAttrs{.grid_size = {1, 2},
                                                               .image_size = {10, 20},
                                                               .units = 200,
                                                               .min_size = {4},
                                                               .aspect_ratio = {4}})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_TRUE(y->instructions.empty());
  // Middles at 50 and 150 of 200 along x, at 100 along y; 4 pixels are 40 along x and 80 along y. The second
  // box is twice as wide and half as high.
  EXPECT_EQ(y->values[0],
            (std::vector<int64_t>{30, 60, 70, 140, 10, 80, 90, 120, 130, 60, 170, 140, 110, 80, 190, 120}));
}

TEST(PriorBox, RefusesWhatHasNoMeaningOrNoEnd) {
  const auto label = [](const PriorBoxAttrs& attrs) {
    return LabelOf(LoweringCase{.name = "prior_box", .attributes = Pack(attrs)});
  };
  EXPECT_EQ(label({}), "lowering_operands");
  EXPECT_EQ(label({.grid_size = {65535, 65535}, .min_size = {1}}), "lowering_operands");
  EXPECT_EQ(label({.units = kMaxPart, .min_size = {kMaxPart}}), "lowering_operands");
  const std::vector<int64_t> many(64, 7), dense(64, 16);
  EXPECT_EQ(label({.fixed_size = many, .aspect_ratio = many, .density = dense}), "lowering_operands");
}

TEST(PriorBoxClustered, WantsAHeightForEachWidth) {
  EXPECT_EQ(LabelOf(LoweringCase{.name = "prior_box_clustered",
                                 .attributes = Pack(PriorBoxClusteredAttrs{.width = {1, 2}, .height = {1}})}),
            "lowering_operands");
}

// The anchors that py-faster-rcnn's generate_anchors publishes for a base of 16, ratios 1/2, 1, 2 and scales
// 8, 16, 32: deltas of 0 put them at the first cell. Its sides include the last pixel.
TEST(Proposal, ItsAnchorsAreThePublishedOnes) {
  const std::vector<int64_t> published = {-84, -40, 99, 55, -176, -88,  191, 103, -360, -184, 375, 199,
                                          -56, -56, 71, 71, -120, -120, 135, 135, -248, -248, 263, 263,
                                          -36, -80, 51, 95, -80,  -168, 95,  183, -168, -344, 183, 359};
  std::vector<int64_t> scores(18, 0);
  for (int64_t k = 0; k < 9; ++k) scores[static_cast<size_t>(9 + k)] = 9 - k;
  const auto y =
      RunLowering({.name = "proposal",
                   .operands = {Values({1, 18, 1, 1}, scores),
                                Values({1, 36, 1, 1}, std::vector<int64_t>(36)), Constant({1}, {2})},
                   .attributes = Pack(ProposalAttrs{.ratios = {1, 2, 4},
                                                    .scales = {8, 16, 32},
                                                    .ratio_denominator = 2,
                                                    .clip_before_nms = false,
                                                    .iou_numerator = 1,
                                                    .iou_denominator = 1,
                                                    .post_nms = 9})});
  ASSERT_TRUE(y.ok()) << y.status();
  for (size_t k = 0; k < 9; ++k) {
    EXPECT_EQ(y->values[0][5 * k], 0);
    for (size_t i = 0; i < 4; ++i) {
      // Caffe's decoding ends a box at middle + length / 2, one pixel after the last one of the anchor.
      EXPECT_EQ(y->values[0][5 * k + 1 + i], published[4 * k + i] + (i < 2 ? 0 : 1)) << k << " " << i;
    }
  }
  EXPECT_EQ(y->values[2], std::vector<int64_t>{9});
}

}  // namespace
}  // namespace tally
