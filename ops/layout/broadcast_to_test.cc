#include <gtest/gtest.h>

#include "ops/layout/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase BroadcastToCase(TestOperand x, Ints shape) {
  return {.op = Opcode::kBroadcastTo,
          .operands = {std::move(x)},
          .attributes = Pack(BroadcastToAttrs{std::move(shape)})};
}

TEST(BroadcastTo, RepeatsAxesOfOneElementAndNewOnes) {
  const auto y = RunOp(BroadcastToCase(Values({2, 1}, {1, 2}), {2, 2, 3}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,2,3] in [1, 2]");
  EXPECT_EQ(y->values[0], (Ints{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(y->gas, 320 + 14 * 12);
  EXPECT_EQ(RunOp(BroadcastToCase(Values({}, {7}), {2}))->values[0], (Ints{7, 7}));
  EXPECT_EQ(RunOp(BroadcastToCase(Values({}, {7}), {}))->values[0], Ints{7});
}

TEST(BroadcastTo, C1_RefusesOtherDimsAndRanks) {
  EXPECT_EQ(LabelOf(BroadcastToCase(Values({2}, {1, 2}), {3})), "broadcast_to_c1");
  EXPECT_EQ(LabelOf(BroadcastToCase(Values({2}, {1, 2}), {1})), "broadcast_to_c1");
  EXPECT_EQ(LabelOf(BroadcastToCase(Values({1, 1}, {1}), {1})), "broadcast_to_c1");
  EXPECT_EQ(LabelOf(BroadcastToCase(Values({2}, {1, 2}), {2, 1})), "broadcast_to_c1");
}

}  // namespace
}  // namespace tally
