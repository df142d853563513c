#include <gtest/gtest.h>

#include <random>

#include "ops/detection/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

constexpr int64_t kMax = (int64_t{1} << 29) - 1;  // greatest coordinate

using Row = std::vector<int64_t>;  // id, score, x1, y1, x2, y2
const Row kNone = {-1, -1, -1, -1, -1, -1};

std::vector<int64_t> Concat(const std::vector<Row>& rows) {
  std::vector<int64_t> values;
  for (const Row& row : rows) values.insert(values.end(), row.begin(), row.end());
  return values;
}

OpCase Case(const std::vector<Row>& rows, std::vector<int64_t> valid_count,
            const NonMaxSuppressionAttrs& attrs = {}, Profile profile = Profile::kCore) {
  const int64_t B = static_cast<int64_t>(valid_count.size()), N = static_cast<int64_t>(rows.size()) / B;
  return {.op = Opcode::kNonMaxSuppression,
          .profile = profile,
          .operands = {Values({B, N, 6}, Concat(rows)), Values({B}, std::move(valid_count))},
          .attributes = Pack(attrs)};
}

std::vector<int64_t> Suppress(const std::vector<Row>& rows, std::vector<int64_t> valid_count,
                              const NonMaxSuppressionAttrs& attrs = {}) {
  const auto y = RunOp(Case(rows, std::move(valid_count), attrs));
  EXPECT_TRUE(y.ok()) << y.status();
  return y.ok() ? y->values[0] : std::vector<int64_t>{};
}

const Row kBest = {0, 90, 0, 0, 10, 10}, kNear = {0, 80, 1, 0, 11, 10}, kFar = {0, 70, 50, 50, 60, 60};

TEST(NonMaxSuppression, TheBestOfOverlappingBoxesRemains) {
  EXPECT_EQ(Suppress({kFar, kNear, kBest}, {3}), Concat({kBest, kFar, kNone}));
}

TEST(NonMaxSuppression, ASuppressedBoxDoesNotSuppress) {
  const Row a = {0, 9, 0, 0, 10, 10}, b = {0, 8, 4, 0, 14, 10}, c = {0, 7, 8, 0, 18, 10};
  // a and b overlap by 42 %, b and c too, a and c by 11 %.
  EXPECT_EQ(Suppress({a, b, c}, {3}, {.iou_threshold = 40}), Concat({a, c, kNone}));
}

TEST(NonMaxSuppression, IdsMatterUnlessForced) {
  Row other = kNear;
  other[0] = 3;
  EXPECT_EQ(Suppress({kBest, other}, {2}), Concat({kBest, other}));
  EXPECT_EQ(Suppress({kBest, other}, {2}, {.force_suppress = true}), Concat({kBest, kNone}));
}

TEST(NonMaxSuppression, EqualScoresKeepTheOrderOfTheRows) {
  const Row a = {1, 5, 0, 0, 1, 1}, b = {2, 5, 0, 0, 1, 1}, c = {3, 6, 0, 0, 1, 1};
  EXPECT_EQ(Suppress({b, a, c, b}, {3}), Concat({c, b, a, kNone}));
}

// 0 is a limit of no rows, not of all of them.
TEST(NonMaxSuppression, LimitsCountRows) {
  const std::vector<Row> rows = {kBest, kNear, kFar};
  EXPECT_EQ(Suppress(rows, {3}, {.max_output_size = 0}), Concat({kNone, kNone, kNone}));
  EXPECT_EQ(Suppress(rows, {3}, {.top_k = 0}), Concat({kNone, kNone, kNone}));
  EXPECT_EQ(Suppress(rows, {3}, {.max_output_size = 1}), Concat({kBest, kNone, kNone}));
  // top_k counts candidates, suppressed ones too: the third is not looked at.
  EXPECT_EQ(Suppress(rows, {3}, {.top_k = 2}), Concat({kBest, kNone, kNone}));
  EXPECT_EQ(Suppress(rows, {3}, {.max_output_size = -7, .top_k = -9}), Concat({kBest, kFar, kNone}));
}

// A row with a negative id neither appears, nor suppresses, nor ends the scan; it does use up top_k.
TEST(NonMaxSuppression, NegativeIdsAreOnlySkipped) {
  const Row ghost = {-2, 100, 0, 0, 10, 10};
  EXPECT_EQ(Suppress({ghost, kBest, kFar}, {3}, {.force_suppress = true}), Concat({kBest, kFar, kNone}));
  EXPECT_EQ(Suppress({ghost, kBest, kFar}, {3}, {.top_k = 2}), Concat({kBest, kNone, kNone}));
}

// A batch without valid rows says nothing about the next one.
TEST(NonMaxSuppression, CountsAreClampedForEachBatch) {
  const std::vector<Row> rows = {kBest, kFar, kBest, kFar, kBest, kFar, kBest, kFar};
  EXPECT_EQ(Suppress(rows, {0, -5, 1, int64_t{1} << 40}),
            Concat({kNone, kNone, kNone, kNone, kBest, kNone, kBest, kFar}));
}

TEST(NonMaxSuppression, DegenerateBoxesCoverNothing) {
  const Row point = {0, 9, 5, 5, 5, 5}, flipped = {0, 8, 10, 10, 0, 0}, half = {0, 7, 10, 0, 0, 10};
  const Row proper = {0, 6, 0, 0, 10, 10};
  const std::vector<Row> rows = {point, point, flipped, flipped, half, half, proper};
  EXPECT_EQ(Suppress(rows, {7}, {.iou_threshold = 1, .force_suppress = true}), Concat(rows));
}

TEST(NonMaxSuppression, TouchingBoxesDoNotOverlap) {
  const std::vector<Row> rows = {{0, 9, 0, 0, 5, 5}, {0, 8, 5, 0, 10, 5}, {0, 7, 0, 5, 5, 10}};
  EXPECT_EQ(Suppress(rows, {3}, {.iou_threshold = 1}), Concat(rows));
}

TEST(NonMaxSuppression, AFullOverlapIsAHundredPercent) {
  const std::vector<Row> rows = {kBest, kBest};
  EXPECT_EQ(Suppress(rows, {2}, {.iou_threshold = 100}), Concat({kBest, kNone}));
  EXPECT_EQ(Suppress(rows, {2}, {.iou_threshold = 101}), Concat(rows));
  EXPECT_EQ(Suppress(rows, {2}, {.iou_threshold = (int64_t{1} << 31) - 1}), Concat(rows));
}

// At the largest coordinates the overlap is still exact. The second box covers half of the first one
// less two units of 2^58: 49 %, where dividing by a rounded hundredth of the union would give 50.
TEST(NonMaxSuppression, TheRatioIsExactAtTheLargestCoordinates) {
  const Row all = {0, 9, -kMax, -kMax, kMax, kMax}, half = {0, 8, -kMax, -kMax, kMax, 0};
  const Row less = {0, 7, -kMax, -kMax, 1, kMax - 2};
  EXPECT_EQ(Suppress({all, half}, {2}, {.iou_threshold = 50}), Concat({all, kNone}));
  EXPECT_EQ(Suppress({all, half}, {2}, {.iou_threshold = 51}), Concat({all, half}));
  EXPECT_EQ(Suppress({all, less}, {2}, {.iou_threshold = 50}), Concat({all, less}));
  EXPECT_EQ(Suppress({all, less}, {2}, {.iou_threshold = 49}), Concat({all, kNone}));
}

// The percentage in 128 bits: floor(100 * intersection / union).
int64_t Percent(const Row& p, const Row& q) {
  const __int128 width = std::min(p[4], q[4]) - std::max(p[2], q[2]);
  const __int128 height = std::min(p[5], q[5]) - std::max(p[3], q[3]);
  if (width <= 0 || height <= 0) return 0;
  const auto area = [](const Row& r) { return static_cast<__int128>(r[4] - r[2]) * (r[5] - r[3]); };
  return static_cast<int64_t>(100 * width * height / (area(p) + area(q) - width * height));
}

TEST(NonMaxSuppression, TheRatioIsThatOfWideArithmetic) {
  std::mt19937_64 random(11);
  const auto draw = [&](int64_t span) { return static_cast<int64_t>(random() % (2 * span + 1)) - span; };
  std::vector<Row> rows;
  constexpr int64_t kPairs = 150;
  for (int64_t pair = 0; pair < kPairs; ++pair) {
    const int64_t wobble = kMax >> (pair % 28);
    Row p = {0, 2, -kMax + wobble, -kMax + wobble, kMax - wobble, kMax - wobble}, q = p;
    q[1] = 1;
    for (size_t k = 2; k < 6; ++k) q[k] += draw(wobble);
    rows.push_back(p);
    rows.push_back(q);
  }
  int64_t suppressed = 0;
  for (const int64_t threshold : {1, 10, 25, 49, 50, 51, 75, 90, 99, 100}) {
    const auto y = Suppress(rows, std::vector<int64_t>(kPairs, 2), {.iou_threshold = threshold});
    for (int64_t pair = 0; pair < kPairs; ++pair) {
      const bool kept = y[(2 * pair + 1) * 6] == 0;
      EXPECT_EQ(kept, Percent(rows[2 * pair], rows[2 * pair + 1]) < threshold) << pair << " at " << threshold;
      suppressed += kept ? 0 : 1;
    }
  }
  // Both verdicts occur.
  EXPECT_GT(suppressed, kPairs);
  EXPECT_LT(suppressed, 9 * kPairs);
}

TEST(NonMaxSuppression, InfersTheRowsAndMinusOne) {
  const auto y = RunOp(Case({kBest, kFar}, {2}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[1,2,6] in [-1, 90]");
}

TEST(NonMaxSuppression, PublishesThePrecisionsOfCvm) {
  EXPECT_EQ(RunOp(Case({kBest}, {1}, {}, Profile::kCvm))->precisions, (std::vector<int>{8}));
  // Rows of precision 1 gain the -1.
  EXPECT_EQ(RunOp(Case({{0, 0, 0, 0, 0, 0}}, {1}, {}, Profile::kCvm))->precisions, (std::vector<int>{2}));
}

TEST(NonMaxSuppression, GasCountsTheSortAndThePairs) {
  // Two batches of five rows: 512 for each, and 18 * 5 * bitlen(5) to sort it.
  const std::vector<Row> rows(10, kFar);
  const auto gas = [&](const NonMaxSuppressionAttrs& attrs) {
    return static_cast<int64_t>(RunOp(Case(rows, {5, 5}, attrs))->gas);
  };
  EXPECT_EQ(gas({}), 512 + 2 * (782 + 48 * 5 * 5));
  EXPECT_EQ(gas({.top_k = 3}), 512 + 2 * (782 + 48 * 3 * 3));
  EXPECT_EQ(gas({.max_output_size = 2}), 512 + 2 * (782 + 48 * 5 * 2));
  EXPECT_EQ(gas({.max_output_size = 0, .top_k = 900}), 512 + 2 * 782);
}

TEST(NonMaxSuppression, C1_RefusesRowsThatAreNotBoxes) {
  EXPECT_EQ(LabelOf({.op = Opcode::kNonMaxSuppression,
                     .operands = {Values({1, 1, 5}, {0, 0, 0, 0, 0}), Values({1}, {1})},
                     .attributes = Pack(NonMaxSuppressionAttrs{})}),
            "non_max_suppression_c1");
  EXPECT_EQ(LabelOf({.op = Opcode::kNonMaxSuppression,
                     .operands = {Values({1, 6}, {0, 0, 0, 0, 0, 0}), Values({1}, {1})},
                     .attributes = Pack(NonMaxSuppressionAttrs{})}),
            "non_max_suppression_c1");
}

TEST(NonMaxSuppression, C2_RefusesCountsOfAnotherShape) {
  for (const TestOperand& counts : {Values({2}, {1, 1}), Values({1, 1}, {1}), Values({}, {1})}) {
    EXPECT_EQ(LabelOf({.op = Opcode::kNonMaxSuppression,
                       .operands = {Values({1, 1, 6}, kBest), counts},
                       .attributes = Pack(NonMaxSuppressionAttrs{})}),
              "non_max_suppression_c2");
  }
}

TEST(NonMaxSuppression, C3_RefusesWideCoordinates) {
  EXPECT_EQ(LabelOf(Case({{0, 0, 0, 0, kMax + 1, 0}}, {1})), "non_max_suppression_c3");
  EXPECT_EQ(LabelOf(Case({{0, 0, -kMax - 1, 0, 0, 0}}, {1})), "non_max_suppression_c3");
  EXPECT_EQ(LabelOf(Case({{0, 0, -kMax, 0, kMax, 0}}, {1})), "");
}

TEST(NonMaxSuppression, AThresholdIsPositive) {
  EXPECT_EQ(LabelOf(Case({kBest}, {1}, {.iou_threshold = 0})), "attribute_range");
}

}  // namespace
}  // namespace tally
