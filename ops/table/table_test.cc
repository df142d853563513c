#include <gtest/gtest.h>

#include <limits>

#include "ops/table/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

constexpr int64_t kElementHi = (int64_t{1} << 47) - 1;

OpCase Lut(TestOperand indices, TestOperand table, int64_t in_dim, Profile profile = Profile::kCore) {
  return {.op = Opcode::kCvmLut,
          .profile = profile,
          .operands = {std::move(indices), std::move(table)},
          .attributes = Pack(CvmLutAttrs{in_dim})};
}

OpCase Table(TestOperand x, TestOperand table, int64_t offset) {
  return {.op = Opcode::kTable,
          .operands = {std::move(x), std::move(table)},
          .attributes = Pack(TableAttrs{offset})};
}

TEST(CvmLut, ClampsTheIndex) {
  const auto y =
      RunOp(Lut(Values({2, 3}, {-9, -1, 0, 1, 2, 3}), Values({3}, {10, 20, 30}), 3, Profile::kCvm));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{10, 10, 10, 20, 30, 30}));
  EXPECT_EQ(y->precisions, (std::vector<int>{6}));
  EXPECT_EQ(y->gas, 2560 + 13 * 6);
}

TEST(CvmLut, ReadsATableOfAnyShapeInRowMajorOrder) {
  const auto y = RunOp(Lut(Values({4}, {0, 1, 2, 3}), Values({2, 2}, {7, 8, 9, 10}), 4));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{7, 8, 9, 10}));
}

TEST(CvmLut, IntervalOfAConstantTableIsThatOfItsReachableEntries) {
  const auto y = RunOp(Lut(Values({1}, {2}, {1, 2}), Constant({4}, {-100, 5, 7, 100}), 4));
  EXPECT_EQ(y->types[0].interval, (Interval{5, 7}));
  const auto computed = RunOp(Lut(Values({1}, {2}, {1, 2}), Values({4}, {-100, 5, 7, 100}), 4));
  EXPECT_EQ(computed->types[0].interval, (Interval{-100, 100}));
}

TEST(CvmLut, C1_RefusesATableOfAnotherSize) {
  EXPECT_EQ(LabelOf(Lut(Values({1}, {0}), Values({3}, {1, 2, 3}), 4)), "cvm_lut_c1");
}

TEST(Table, ReadsFromTheOffset) {
  const auto y = RunOp(Table(Values({5}, {-3, -2, -1, 0, 1}), Constant({3}, {10, 20, 30}), -2));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{10, 10, 20, 30, 30}));
  EXPECT_EQ(y->types[0].ToString(), "[5] in [10, 30]");
  EXPECT_EQ(y->gas, 2560 + 13 * 5);
}

TEST(Table, IntervalIsThatOfTheReachableEntries) {
  const auto interval = [](Interval x) {
    return RunOp(Table(Values({1}, {x.lo}, x), Constant({5}, {50, -1, 3, 2, -60}), 10))->types[0].interval;
  };
  EXPECT_EQ(interval({11, 13}), (Interval{-1, 3}));
  EXPECT_EQ(interval({12, 12}), (Interval{3, 3}));
  EXPECT_EQ(interval({-1000, 9}), (Interval{50, 50}));
  EXPECT_EQ(interval({15, 1000}), (Interval{-60, -60}));
  EXPECT_EQ(interval({-1000, 1000}), (Interval{-60, 50}));
}

TEST(Table, UnreachableEntriesMayLeaveTheTensorLimit) {
  const TestOperand table = Constant({2}, {1, kElementHi + 1});
  EXPECT_EQ(LabelOf(Table(Values({1}, {0}), table, 0)), "");
  EXPECT_EQ(LabelOf(Table(Values({1}, {1}), table, 0)), "value_range");
}

TEST(Table, C1_RefusesAConstantBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOf(Table(Constant({1}, {std::numeric_limits<int64_t>::max()}), Constant({1}, {1}), -1)),
            "table_c1");
}

TEST(Table, C2_RefusesAComputedTable) {
  EXPECT_EQ(LabelOf(Table(Values({1}, {0}), Values({1}, {1}), 0)), "table_c2");
}

TEST(Table, C3_RefusesOtherShapesThanAListOf65536Entries) {
  EXPECT_EQ(LabelOf(Table(Values({1}, {0}), Constant({1, 1}, {1}), 0)), "table_c3");
  const auto list = [](int64_t n) {
    return TestOperand{.tensor = Tensor(*Shape::Create({n}), Storage::kI8), .constant = true};
  };
  EXPECT_EQ(LabelOf(Table(Values({1}, {0}), list(65536), 0)), "");
  EXPECT_EQ(LabelOf(Table(Values({1}, {0}), list(65537), 0)), "table_c3");
}

}  // namespace
}  // namespace tally
