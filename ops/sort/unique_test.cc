#include <gtest/gtest.h>

#include "ops/sort/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase UniqueCase(TestOperand x, const UniqueAttrs& attrs) {
  return {.op = Opcode::kUnique, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

TestOperand Five() { return Values({5}, {2, 1, 1, 3, 2}); }

TEST(Unique, OrdersByValueOrByFirstAppearance) {
  const auto sorted = RunOp(UniqueCase(Five(), {.bound = 4}));
  ASSERT_TRUE(sorted.ok()) << sorted.status();
  EXPECT_EQ(sorted->values,
            (std::vector<Ints>{{1, 2, 3, 0}, {1, 0, 3, -1}, {1, 0, 0, 2, 1}, {2, 2, 1, 0}, {3}}));
  EXPECT_EQ(sorted->gas, 80 * 5 * 3 + 6144);
  const auto seen = RunOp(UniqueCase(Five(), {.sorted = false, .bound = 4, .value = 9}));
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(seen->values,
            (std::vector<Ints>{{2, 1, 3, 9}, {0, 1, 3, -1}, {0, 1, 1, 2, 0}, {2, 2, 1, 0}, {3}}));
}

TEST(Unique, ComparesSlicesOfAnAxis) {
  const TestOperand rows = Values({3, 2}, {1, 5, 0, 9, 1, 5});
  EXPECT_EQ(RunOp(UniqueCase(rows, {.axis = {0}, .bound = 2}))->values,
            (std::vector<Ints>{{0, 9, 1, 5}, {1, 0}, {1, 0, 1}, {1, 2}, {2}}));
  const TestOperand columns = Values({2, 3}, {1, 0, 1, 5, 9, 5});
  EXPECT_EQ(RunOp(UniqueCase(columns, {.axis = {-1}, .bound = 3, .value = 7}))->values,
            (std::vector<Ints>{{0, 1, 7, 9, 5, 7}, {1, 0, -1}, {1, 0, 1}, {1, 2, 0}, {2}}));
}

TEST(Unique, TellsWhatTheBoundLeavesOut) {
  const auto y = RunOp(UniqueCase(Five(), {.bound = 1}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values, (std::vector<Ints>{{1}, {1}, {1, 0, 0, 2, 1}, {2}, {3}}));
}

TEST(Unique, BoundsItsResults) {
  const auto types = [](const TestOperand& x, const UniqueAttrs& attrs) {
    const auto y = RunOp(UniqueCase(x, attrs));
    std::string text;
    for (const TensorType& type : y->types) text += type.interval.ToString();
    return text;
  };
  EXPECT_EQ(types(Five(), {.bound = 2}), "[0, 3][-1, 4][0, 2][0, 5][1, 3]");
  EXPECT_EQ(types(Five(), {.bound = 1, .value = 99}), "[1, 3][0, 4][0, 2][1, 5][1, 3]");
  EXPECT_EQ(types(Values({2}, {0, 5}, {-9, 9}), {.bound = 3}), "[-9, 9][-1, 1][0, 1][0, 2][1, 2]");
  EXPECT_EQ(types(Values({3, 2}, {0, 0, 0, 0, 0, 0}), {.axis = {0}, .bound = 2}),
            "[0, 0][-1, 2][0, 2][0, 3][1, 3]");
}

TEST(Unique, C1_RefusesAxesThatDoNotExist) {
  EXPECT_EQ(LabelOf(UniqueCase(Five(), {.axis = {1}})), "unique_c1");
  EXPECT_EQ(LabelOf(UniqueCase(Values({}, {1}), {.axis = {0}})), "unique_c1");
  EXPECT_EQ(LabelOf(UniqueCase(Values({}, {1}), {})), "");
}

}  // namespace
}  // namespace tally
