#include <gtest/gtest.h>

#include "ops/layout/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase ReverseSequenceCase(TestOperand x, TestOperand lengths, int64_t batch_axis, int64_t seq_axis) {
  return {.op = Opcode::kReverseSequence,
          .operands = {std::move(x), std::move(lengths)},
          .attributes = Pack(ReverseSequenceAttrs{batch_axis, seq_axis})};
}

TestOperand Grid() { return Values({2, 3}, {1, 2, 3, 4, 5, 6}); }

TEST(ReverseSequence, ReversesTheFirstElements) {
  const auto y = RunOp(ReverseSequenceCase(Grid(), Values({2}, {2, 3}), 0, 1));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,3] in [1, 6]");
  EXPECT_EQ(y->values[0], (Ints{2, 1, 3, 6, 5, 4}));
  EXPECT_EQ(y->gas, 128 * 6);
  EXPECT_EQ(RunOp(ReverseSequenceCase(Grid(), Values({3}, {2, 1, 0}), -1, -2))->values[0],
            (Ints{4, 2, 3, 1, 5, 6}));
}

TEST(ReverseSequence, ClampsLengths) {
  EXPECT_EQ(RunOp(ReverseSequenceCase(Grid(), Constant({2}, {INT64_MIN, INT64_MAX}), 0, 1))->values[0],
            (Ints{1, 2, 3, 6, 5, 4}));
}

TEST(ReverseSequence, C1_RefusesAxesOutsideTheRank) {
  EXPECT_EQ(LabelOf(ReverseSequenceCase(Grid(), Values({2}, {1, 1}), 2, 1)), "reverse_sequence_c1");
  EXPECT_EQ(LabelOf(ReverseSequenceCase(Grid(), Values({2}, {1, 1}), 0, -3)), "reverse_sequence_c1");
}

TEST(ReverseSequence, C2_RefusesOneAxisForBoth) {
  EXPECT_EQ(LabelOf(ReverseSequenceCase(Grid(), Values({2}, {1, 1}), 1, -1)), "reverse_sequence_c2");
}

TEST(ReverseSequence, C3_RefusesOtherLengths) {
  EXPECT_EQ(LabelOf(ReverseSequenceCase(Grid(), Values({3}, {1, 1, 1}), 0, 1)), "reverse_sequence_c3");
  EXPECT_EQ(LabelOf(ReverseSequenceCase(Grid(), Values({}, {1}), 0, 1)), "reverse_sequence_c3");
}

}  // namespace
}  // namespace tally
