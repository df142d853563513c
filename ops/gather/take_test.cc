#include <gtest/gtest.h>

#include "ops/gather/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase TakeCase(TestOperand x, TestOperand indices, Ints axis, Profile profile = Profile::kCore) {
  return {.op = Opcode::kTake,
          .profile = profile,
          .operands = {std::move(x), std::move(indices)},
          .attributes = Pack(TakeAttrs{std::move(axis)})};
}

TestOperand Grid() { return Values({2, 3}, {10, 11, 12, 20, 21, 22}); }

TEST(Take, WithoutAxisIndexesTheFlattenedData) {
  const auto y = RunOp(TakeCase(Grid(), Values({2, 2}, {5, 0, 3, 3}), {}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,2] in [10, 22]");
  EXPECT_EQ(y->values[0], (Ints{22, 10, 20, 20}));
  EXPECT_EQ(y->gas, 512 + 40 * 4 + 48 * 2);
}

TEST(Take, PutsTheAxesOfTheIndicesInPlaceOfTheAxis) {
  const auto rows = RunOp(TakeCase(Grid(), Values({3}, {1, 0, 1}), {0}));
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->types[0].ToString(), "[3,3] in [10, 22]");
  EXPECT_EQ(rows->values[0], (Ints{20, 21, 22, 10, 11, 12, 20, 21, 22}));

  const auto columns = RunOp(TakeCase(Grid(), Values({1, 2}, {2, 0}), {-1}));
  ASSERT_TRUE(columns.ok()) << columns.status();
  EXPECT_EQ(columns->types[0].ToString(), "[2,1,2] in [10, 22]");
  EXPECT_EQ(columns->values[0], (Ints{12, 10, 22, 20}));
}

TEST(Take, ClampsIndices) {
  EXPECT_EQ(RunOp(TakeCase(Grid(), Values({3}, {-1, 6, 5}), {}))->values[0], (Ints{10, 22, 22}));
  EXPECT_EQ(RunOp(TakeCase(Grid(), Values({2}, {-1, 3}), {1}))->values[0], (Ints{10, 12, 20, 22}));
  const Interval limit = TensorLimit(Profile::kCore);
  EXPECT_EQ(RunOp(TakeCase(Grid(), Values({2}, {limit.lo, limit.hi}), {}))->values[0], (Ints{10, 22}));
}

TEST(Take, DropsTheAxisForAScalarIndex) {
  const auto y = RunOp(TakeCase(Grid(), Values({}, {1}), {0}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[3] in [10, 22]");
  EXPECT_EQ(y->values[0], (Ints{20, 21, 22}));
}

TEST(Take, ReadsAScalarWithoutAxis) {
  EXPECT_EQ(RunOp(TakeCase(Values({}, {7}), Values({2}, {0, 9}), {}))->values[0], (Ints{7, 7}));
}

TEST(Take, PublishesThePrecisionOfTheData) {
  const auto y = RunOp(TakeCase(Values({2}, {-3, 3}), Values({1}, {100}), {0}, Profile::kCvm));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->precisions, std::vector<int>{3});
}

TEST(Take, C1_RefusesAxesThatDoNotExist) {
  EXPECT_EQ(LabelOf(TakeCase(Grid(), Values({1}, {0}), {2})), "take_c1");
  EXPECT_EQ(LabelOf(TakeCase(Grid(), Values({1}, {0}), {-3})), "take_c1");
  EXPECT_EQ(LabelOf(TakeCase(Values({}, {7}), Values({1}, {0}), {0})), "take_c1");
}

TEST(Take, RefusesMoreThanOneAxisAndRanksBeyondTheLimit) {
  EXPECT_EQ(LabelOf(TakeCase(Grid(), Values({1}, {0}), {0, 1})), "attribute_length");
  EXPECT_EQ(LabelOf(TakeCase(Grid(), Values({1, 1, 1, 1, 1, 1, 1, 1}, {0}), {0})), "shape_rank");
}

}  // namespace
}  // namespace tally
