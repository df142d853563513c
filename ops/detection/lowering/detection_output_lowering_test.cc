#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/detection/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

using List = std::vector<int64_t>;

TEST(DetectionOutput, YieldsRowsByClassAndScore) {
  // Three priors, of which the first two overlap; corner deltas of 0; classes: background, 1, 2.
  const auto y = RunLowering(
      {.name = "detection_output",
       .operands = {Values({1, 12}, List(12)), Values({1, 9}, {9, 3, 1, 9, 4, 2, 9, 5, 0}),
                    Constant({3, 4}, {0, 0, 10, 10, 1, 0, 11, 10, 50, 50, 60, 60}),
                    Constant({1, 4}, {1, 1, 1, 1})},
       .attributes = Pack(DetectionOutputAttrs{
           .classes = 3, .background = {0}, .code = BoxCode::kCorner, .min_score = 1, .keep_top_k = 4})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].shape.ToString(), "[1,1,4,7]");
  EXPECT_EQ(y->values[0], (List{0,  1, 5, 50, 50, 60, 60,  //
                                0,  1, 4, 1,  0,  11, 10,  //
                                0,  2, 2, 1,  0,  11, 10,  //
                                -1, 0, 0, 0,  0,  0,  0}));
  EXPECT_EQ(y->values[1], List{3});
}

// Three priors, the first stage's scores of nothing and of something, and its deltas of corners.
absl::StatusOr<LoweringOutcome> Refined(const List& first_scores, const List& first_deltas,
                                        int64_t min_objectness) {
  RefinedDetectionOutputAttrs attrs;
  attrs.classes = 3;
  attrs.background = {0};
  attrs.code = BoxCode::kCorner;
  attrs.min_score = 1;
  attrs.keep_top_k = 4;
  attrs.min_objectness = min_objectness;
  return RunLowering({.name = "refined_detection_output",
                      .operands = {Values({1, 12}, List(12)), Values({1, 9}, {9, 3, 1, 9, 4, 2, 9, 5, 0}),
                                   Constant({3, 4}, {0, 0, 10, 10, 1, 0, 11, 10, 50, 50, 60, 60}),
                                   Constant({1, 4}, {1, 1, 1, 1}), Values({1, 6}, first_scores),
                                   Values({1, 12}, first_deltas)},
                      .attributes = Pack(attrs)});
}

TEST(RefinedDetectionOutput, WithoutRefinementIsDetectionOutput) {
  const auto y = Refined({0, 0, 0, 0, 0, 0}, List(12), 0);
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (List{0,  1, 5, 50, 50, 60, 60,  //
                                0,  1, 4, 1,  0,  11, 10,  //
                                0,  2, 2, 1,  0,  11, 10,  //
                                -1, 0, 0, 0,  0,  0,  0}));
  EXPECT_EQ(y->values[1], List{3});
}

TEST(RefinedDetectionOutput, MovesPriorsAndDropsWhatIsNothing) {
  // The second prior is nothing; the third moves by half of 7, half up, and by half of -7.
  const auto y = Refined({9, 5, 0, 4, 0, 6}, {0, 0, 0, 0, 0, 0, 0, 0, 7, 0, -7, 0}, 5);
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (List{0,  1, 5, 54, 50, 57, 60,  //
                                0,  1, 3, 0,  0,  10, 10,  //
                                0,  2, 1, 0,  0,  10, 10,  //
                                -1, 0, 0, 0,  0,  0,  0}));
}

TEST(RefinedDetectionOutput, RefusesAFirstStageOfOtherPriors) {
  EXPECT_EQ(ErrorLabel(Refined(List(6), List(12), 0).status()), "");
  const auto label = [](const List& scores, const List& deltas) {
    const auto n = std::ssize(scores), m = std::ssize(deltas);
    return LabelOf(LoweringCase{
        .name = "refined_detection_output",
        .operands = {Values({1, 8}, List(8)), Values({1, 4}, List(4)), Constant({2, 4}, List(8)),
                     Constant({1, 4}, {1, 1, 1, 1}), Values({1, n}, scores), Values({1, m}, deltas)},
        .attributes = Pack([] {
          RefinedDetectionOutputAttrs attrs;
          attrs.classes = 2;
          attrs.code = BoxCode::kCorner;
          return attrs;
        }())});
  };
  EXPECT_EQ(label(List(4), List(8)), "");
  EXPECT_EQ(label(List(2), List(8)), "lowering_operands");
  EXPECT_EQ(label(List(4), List(4)), "lowering_operands");
}

TEST(NmsBoxes, GathersBoxesAndScores) {
  const auto y = RunLowering({.name = "nms_boxes",
                              .operands = {Values({1, 3, 4}, {5, 5, 10, 10, 6, 5, 10, 10, 40, 40, 4, 4}),
                                           Values({1, 3, 2}, {1, 6, 7, 0, 2, 3})},
                              .attributes = Pack(NmsBoxesAttrs{.min_score = 2, .max_boxes = 4})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (List{6, 5, 10, 10, 40, 40, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(y->values[1], (List{7, 0, 2, 3, 0, 0, 0, 0}));
  EXPECT_EQ(y->values[2], (List{1, 2, -1, -1}));
  EXPECT_EQ(y->values[3], List{2});
}

TEST(RegionYolo, CopiesSizesAndMapsTheRest) {
  const auto y = RunLowering({.name = "region_yolo",
                              .operands = {Values({1, 6, 1, 1}, {0, 1, 0, 1, 0, 1}), Constant({2}, {50, 70}),
                                           Constant({2}, {-5, 5})},
                              .attributes = Pack(RegionYoloAttrs{})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (List{50, 70, -5, 5, 50, 70}));
}

}  // namespace
}  // namespace tally
