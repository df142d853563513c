#include <gtest/gtest.h>

#include "ops/detection/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Rows = std::vector<std::vector<int64_t>>;

constexpr int64_t kMax16 = (1 << 15) - 1;

OpCase Case(TestOperand boxes, TestOperand scores, const NmsAttrs& attrs = {}) {
  return {.op = Opcode::kNms, .operands = {std::move(boxes), std::move(scores)}, .attributes = Pack(attrs)};
}

TestOperand Boxes(const Rows& rows) {
  std::vector<int64_t> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return Values({1, static_cast<int64_t>(rows.size()), 4}, std::move(values));
}

// The rows of a case of one batch that are there.
Rows Select(const OpCase& test) {
  const auto y = RunOp(test);
  EXPECT_TRUE(y.ok()) << y.status();
  Rows rows;
  if (!y.ok()) return rows;
  const int64_t count = y->values[1][0], all = static_cast<int64_t>(y->values[0].size()) / 3;
  for (int64_t r = 0; r < all; ++r) {
    const std::vector<int64_t> row(y->values[0].begin() + 3 * r, y->values[0].begin() + 3 * r + 3);
    if (r < count) {
      rows.push_back(row);
    } else {
      EXPECT_EQ(row, (std::vector<int64_t>{-1, -1, -1})) << r;
    }
  }
  return rows;
}

// The kept boxes of a case of one batch and one class.
std::vector<int64_t> Kept(const OpCase& test) {
  std::vector<int64_t> kept;
  for (const auto& row : Select(test)) kept.push_back(row[2]);
  return kept;
}

using List = std::vector<int64_t>;

const Rows kScene = {{50, 50, 60, 60}, {1, 0, 11, 10}, {0, 0, 10, 10}};
const TestOperand kScores = Values({1, 1, 3}, {70, 80, 90});

TEST(Nms, TheExampleOfThePage) {
  const auto y =
      RunOp(Case(Boxes({{0, 0, 10, 10}, {1, 0, 11, 10}, {50, 50, 60, 60}}), Values({1, 1, 3}, {90, 80, 70})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (List{0, 0, 0, 0, 0, 2, -1, -1, -1}));
  EXPECT_EQ(y->values[1], (List{2}));
  EXPECT_EQ(y->types[0].ToString(), "[3,3] in [-1, 2]");
  EXPECT_EQ(y->types[1].ToString(), "[1] in [0, 3]");
}

TEST(Nms, ASuppressedBoxDoesNotSuppress) {
  const TestOperand row = Boxes({{0, 0, 10, 10}, {4, 0, 14, 10}, {8, 0, 18, 10}});
  EXPECT_EQ(Kept(Case(row, Values({1, 1, 3}, {9, 8, 7}), {.iou_numerator = 2, .iou_denominator = 5})),
            (List{0, 2}));
}

TEST(Nms, TiesGoToTheLowerBox) {
  EXPECT_EQ(Kept(Case(Boxes({{1, 0, 11, 10}, {0, 0, 10, 10}}), Values({1, 1, 2}, {5, 5}))), (List{0}));
}

TEST(Nms, LimitsCountCandidatesAndRows) {
  EXPECT_EQ(Kept(Case(Boxes(kScene), kScores)), (List{2, 0}));
  EXPECT_EQ(Kept(Case(Boxes(kScene), kScores, {.min_score = 71})), (List{2}));
  EXPECT_EQ(Kept(Case(Boxes(kScene), kScores, {.top_k = 2})), (List{2}));
  EXPECT_EQ(Kept(Case(Boxes(kScene), kScores, {.max_per_class = 1})), (List{2}));
  EXPECT_EQ(Kept(Case(Boxes(kScene), kScores, {.max_per_batch = 1})), (List{2}));
  EXPECT_EQ(RunOp(Case(Boxes(kScene), kScores, {.max_per_batch = 2}))->types[0].ToString(),
            "[2,3] in [-1, 2]");
}

TEST(Nms, FlippedCornersAreCornersOrNothing) {
  const OpCase flipped = Case(Boxes({{0, 0, 9, 9}, {9, 9, 0, 0}}), Values({1, 1, 2}, {2, 1}));
  EXPECT_EQ(Kept(flipped), (List{0}));
  OpCase ordered = flipped;
  ordered.attributes = Pack(NmsAttrs{.encoding = BoxEncoding::kOrderedCorners});
  EXPECT_EQ(Kept(ordered), (List{0, 1}));
}

TEST(Nms, TheOffsetLengthensSides) {
  // Two pixels wide each, one in common: 1 / 3 with the offset, nothing without.
  const TestOperand boxes = Boxes({{0, 0, 1, 0}, {1, 0, 2, 0}});
  const TestOperand scores = Values({1, 1, 2}, {2, 1});
  NmsAttrs attrs = {.side_offset = 1, .iou_numerator = 1, .iou_denominator = 3};
  EXPECT_EQ(Kept(Case(boxes, scores, attrs)), (List{0, 1}));
  attrs.suppress_equal = true;
  EXPECT_EQ(Kept(Case(boxes, scores, attrs)), (List{0}));
  attrs.side_offset = 0;
  attrs.iou_numerator = 0;
  EXPECT_EQ(Kept(Case(boxes, scores, attrs)), (List{0, 1}));
}

TEST(Nms, TheThresholdIsExact) {
  const TestOperand third = Boxes({{0, 0, 3, 1}, {0, 0, 1, 1}});
  const TestOperand scores = Values({1, 1, 2}, {2, 1});
  constexpr int64_t kThird = ((int64_t{1} << 29) - 1) / 3;
  EXPECT_EQ(Kept(Case(third, scores, {.iou_numerator = kThird, .iou_denominator = 3 * kThird - 1})),
            (List{0, 1}));
  EXPECT_EQ(Kept(Case(third, scores, {.iou_numerator = kThird, .iou_denominator = 3 * kThird})),
            (List{0, 1}));
  EXPECT_EQ(Kept(Case(third, scores, {.iou_numerator = kThird, .iou_denominator = 3 * kThird + 1})),
            (List{0}));
}

TEST(Nms, CoordinatesOf16BitsGoWithFineRatios) {
  const TestOperand wide =
      Boxes({{-kMax16 - 1, -kMax16 - 1, kMax16, kMax16}, {-kMax16 - 1, -kMax16 - 1, kMax16, 0}});
  constexpr int64_t kDenominator = kNoNmsLimit;
  EXPECT_EQ(LabelOf(Case(wide, Values({1, 1, 2}, {2, 1}),
                         {.iou_numerator = (1 << 30) - 1, .iou_denominator = kDenominator})),
            "");
}

TEST(Nms, ListsAreClassesOrOneOfAll) {
  // Three boxes on one place; their best classes are 1, 0 and, in a tie, 0.
  const TestOperand boxes = Boxes({{0, 0, 9, 9}, {0, 0, 9, 9}, {0, 0, 9, 9}});
  const TestOperand scores = Values({1, 2, 3}, {1, 7, 5, 8, 2, 5});
  EXPECT_EQ(Select(Case(boxes, scores)), (Rows{{0, 0, 1}, {0, 1, 0}}));
  EXPECT_EQ(Select(Case(boxes, scores, {.order = NmsOrder::kScore})), (Rows{{0, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(Select(Case(boxes, scores, {.classes = NmsClasses::kBest})), (Rows{{0, 1, 0}}));
  EXPECT_EQ(Select(Case(boxes, scores,
                        {.iou_numerator = 1,
                         .iou_denominator = 1,
                         .classes = NmsClasses::kBest,
                         .order = NmsOrder::kScore})),
            (Rows{{0, 1, 0}, {0, 0, 1}, {0, 0, 2}}));
  EXPECT_EQ(Select(Case(boxes, scores, {.classes = NmsClasses::kBestPerClass})),
            (Rows{{0, 0, 1}, {0, 1, 0}}));
}

TEST(Nms, BoxesMayBelongToClasses) {
  const TestOperand boxes = Values({1, 2, 2, 4}, {0, 0, 9, 9, 0, 0, 9, 9, 0, 0, 9, 9, 20, 20, 29, 29});
  EXPECT_EQ(Select(Case(boxes, Values({1, 2, 2}, {2, 1, 2, 1}))), (Rows{{0, 0, 0}, {0, 1, 0}, {0, 1, 1}}));
}

TEST(Nms, AtLeastOneRowWhenAskedFor) {
  const NmsAttrs none = {.min_score = 91}, one = {.min_score = 91, .at_least_one = true};
  EXPECT_EQ(Kept(Case(Boxes(kScene), kScores, none)), List{});
  EXPECT_EQ(Kept(Case(Boxes(kScene), kScores, one)), List{2});
  EXPECT_EQ(RunOp(Case(Boxes(kScene), kScores, one))->types[1].ToString(), "[1] in [1, 3]");
}

TEST(Nms, BatchesArePackedApartOrMerged) {
  const TestOperand boxes = Values({2, 2, 4}, {0, 0, 9, 9, 0, 0, 9, 9, 0, 0, 9, 9, 20, 20, 29, 29});
  const TestOperand scores = Values({2, 1, 2}, {5, 4, 9, 7});
  const auto rows = [&](NmsBatches batches) {
    return RunOp(Case(boxes, scores, {.order = NmsOrder::kScore, .batches = batches}))->values[0];
  };
  EXPECT_EQ(rows(NmsBatches::kPacked), (List{0, 0, 0, 1, 0, 0, 1, 0, 1, -1, -1, -1}));
  EXPECT_EQ(rows(NmsBatches::kApart), (List{0, 0, 0, -1, -1, -1, 1, 0, 0, 1, 0, 1}));
  EXPECT_EQ(rows(NmsBatches::kMerged), (List{1, 0, 0, 1, 0, 1, 0, 0, 0, -1, -1, -1}));
}

TEST(Nms, GasCountsSortsAndPairs) {
  // 2 scores of 3 boxes: two sorts of 3, every pair of each list, two sorts of 6 picks.
  const auto gas = [](const NmsAttrs& attrs) {
    return static_cast<int64_t>(
        RunOp(Case(Boxes(kScene), Values({1, 2, 3}, {6, 5, 4, 3, 2, 1}), attrs))->gas);
  };
  EXPECT_EQ(gas({}), 1024 + 12 + 2 * 144 + 96 * 6 * 3 + 2 * 432);
  EXPECT_EQ(gas({.top_k = 1}), 1024 + 12 + 2 * 144 + 96 * 2 * 1 + 2 * 96);
  EXPECT_EQ(gas({.classes = NmsClasses::kBest}), 1024 + 12 + 144 + 96 * 3 * 3 + 2 * 144);
}

TEST(Nms, C1_RefusesScoresWithoutClasses) {
  EXPECT_EQ(LabelOf(Case(Boxes(kScene), Values({1, 3}, {1, 2, 3}))), "nms_c1");
}

TEST(Nms, C2_RefusesBoxesOfOtherShapes) {
  for (const TestOperand& boxes :
       {Values({1, 2, 4}, List(8)), Values({1, 3, 5}, List(15)), Values({2, 3, 4}, List(24)),
        Values({1, 2, 3, 4}, List(24)), Values({3, 4}, List(12))}) {
    EXPECT_EQ(LabelOf(Case(boxes, kScores)), "nms_c2");
  }
}

TEST(Nms, C3_RefusesWideConstants) {
  EXPECT_EQ(LabelOf(Case(Constant({1, 1, 4}, {int64_t{1} << 47, 0, 0, 0}), Values({1, 1, 1}, {1}))),
            "nms_c3");
}

TEST(Nms, C4_RefusesAreasThatLeaveNoRoom) {
  const auto label = [](int64_t side, const NmsAttrs& attrs) {
    return LabelOf(Case(Values({1, 1, 4}, {0, 0, side, side}), Values({1, 1, 1}, {1}), attrs));
  };
  EXPECT_EQ(label(int64_t{1} << 31, {.iou_numerator = 0, .iou_denominator = 1}), "nms_c4");
  EXPECT_EQ(label((int64_t{1} << 31) - 1, {.iou_numerator = 0, .iou_denominator = 1}), "");
  EXPECT_EQ(label((int64_t{1} << 31) - 1, {.side_offset = 1, .iou_numerator = 0, .iou_denominator = 1}),
            "nms_c4");
  EXPECT_EQ(label(int64_t{1} << 30, {.iou_numerator = 4, .iou_denominator = 1}), "nms_c4");
  EXPECT_EQ(label(int64_t{1} << 30, {.iou_numerator = 3, .iou_denominator = 7}), "");
  EXPECT_EQ(label(int64_t{1} << 30, {.iou_numerator = 3, .iou_denominator = 8}), "nms_c4");
  EXPECT_EQ(label(int64_t{1} << 30, {.encoding = BoxEncoding::kCenter}), "nms_c4");
  EXPECT_EQ(label(int64_t{1} << 29, {.encoding = BoxEncoding::kCenter}), "");
  EXPECT_EQ(label(int64_t{1} << 46, {.iou_denominator = kNoNmsLimit}), "nms_c4");
}

TEST(Nms, C5_RefusesBatchesMergedByClass) {
  EXPECT_EQ(LabelOf(Case(Boxes(kScene), kScores, {.batches = NmsBatches::kMerged})), "nms_c5");
}

}  // namespace
}  // namespace tally
