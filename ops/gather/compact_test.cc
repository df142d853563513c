#include <gtest/gtest.h>

#include "ops/gather/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase CompactCase(TestOperand x, TestOperand mask, const CompactAttrs& attrs) {
  return {.op = Opcode::kCompact, .operands = {std::move(x), std::move(mask)}, .attributes = Pack(attrs)};
}

TestOperand Four() { return Values({4}, {5, 6, 7, 8}); }

TEST(Compact, KeepsSlicesInOrder) {
  const auto y = RunOp(CompactCase(Four(), Values({4}, {0, 1, 0, -1}), {.bound = 3, .value = -1}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[3] in [-1, 8]");
  EXPECT_EQ(y->types[1].ToString(), "[] in [0, 4]");
  EXPECT_EQ(y->values[0], (Ints{6, 8, -1}));
  EXPECT_EQ(y->values[1], Ints{2});
  EXPECT_EQ(y->gas, 512 + 53 * (3 + 1) + 48 * 1 + 80 * 4);
}

TEST(Compact, CountsWhatTheBoundLeavesOut) {
  const auto y = RunOp(CompactCase(Four(), Values({4}, {1, 0, 1, 1}), {.bound = 1}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], Ints{5});
  EXPECT_EQ(y->values[1], Ints{3});
}

TEST(Compact, WorksAlongAnyAxis) {
  const auto y = RunOp(CompactCase(Values({2, 3}, {1, 2, 3, 4, 5, 6}), Values({3}, {1, 0, 1}), {-1, 4, 0}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{1, 3, 0, 0, 4, 6, 0, 0}));
}

TEST(Compact, KnowsWhatTheMaskCannotBe) {
  const auto types = [](TestOperand mask, int64_t bound) {
    const auto y = RunOp(CompactCase(Four(), std::move(mask), {.bound = bound, .value = 100}));
    return y->types[0].interval.ToString() + " " + y->types[1].interval.ToString();
  };
  EXPECT_EQ(types(Values({4}, {1, 1, 1, 1}, {1, 3}), 4), "[5, 8] [4, 4]");
  EXPECT_EQ(types(Values({4}, {1, 1, 1, 1}, {1, 3}), 5), "[5, 100] [4, 4]");
  EXPECT_EQ(types(Values({4}, {0, 0, 0, 0}), 2), "[100, 100] [0, 0]");
  EXPECT_EQ(types(Constant({4}, {0, 7, 0, 1}), 2), "[5, 8] [2, 2]");
  EXPECT_EQ(types(Constant({4}, {0, 7, 0, 1}), 3), "[5, 100] [2, 2]");
}

TEST(Compact, C1_RefusesAxesThatDoNotExist) {
  EXPECT_EQ(LabelOf(CompactCase(Four(), Values({4}, {1, 1, 1, 1}), {.axis = 1})), "compact_c1");
}

TEST(Compact, C2_RefusesOtherMasks) {
  EXPECT_EQ(LabelOf(CompactCase(Four(), Values({3}, {1, 1, 1}), {})), "compact_c2");
  EXPECT_EQ(LabelOf(CompactCase(Four(), Values({4, 1}, {1, 1, 1, 1}), {})), "compact_c2");
}

}  // namespace
}  // namespace tally
