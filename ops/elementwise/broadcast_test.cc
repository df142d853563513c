#include <gtest/gtest.h>

#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

TEST(BroadcastAdd, AlignsShapesAtTheRight) {
  const auto y = RunOp({.op = Opcode::kBroadcastAdd, .operands = {Values({2, 1}, {10, 20}), Values({3}, {1, 2, 3})}});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,3] in [11, 23]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(y->gas, 6);
}

TEST(BroadcastAdd, C1_RefusesShapesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOf({.op = Opcode::kBroadcastAdd, .operands = {Values({2}, {0, 0}), Values({3}, {0, 0, 0})}}),
            "broadcast_add_c1");
}

}  // namespace
}  // namespace tally
