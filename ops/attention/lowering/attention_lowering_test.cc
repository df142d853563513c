#include <gtest/gtest.h>

#include "ops/attention/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

LoweringCase Rotate(TestOperand x, TestOperand cosine, TestOperand sine, bool interleaved) {
  return {
      .name = "rotary_embedding",
      .operands = {std::move(x), std::move(cosine), std::move(sine)},
      .attributes = Pack(RotaryEmbeddingAttrs{.interleaved = interleaved, .shift = 1, .lo = -99, .hi = 99})};
}

TEST(RotaryEmbedding, TurnsHalvesOrNeighbours) {
  // A quarter turn in both planes, and lengths doubled once: 2 / 2^1 = 1.
  const TestOperand zero = Constant({2}, {0, 0}), one = Constant({2}, {2, 2});
  const auto halves = RunLowering(Rotate(Values({1, 4}, {1, 2, 3, 4}), zero, one, false));
  ASSERT_TRUE(halves.ok()) << halves.status();
  EXPECT_EQ(halves->values[0], (Ints{-3, -4, 1, 2}));
  const auto neighbours = RunLowering(Rotate(Values({1, 4}, {1, 2, 3, 4}), zero, one, true));
  ASSERT_TRUE(neighbours.ok()) << neighbours.status();
  EXPECT_EQ(neighbours->values[0], (Ints{-2, 1, -4, 3}));
  EXPECT_EQ(neighbours->types[0].shape, *Shape::Create({1, 4}));
}

TEST(RotaryEmbedding, RoundsOnce) {
  const TestOperand one = Constant({1}, {1});
  EXPECT_EQ(RunLowering(Rotate(Values({2}, {3, 2}), one, one, false))->values[0], (Ints{1, 3}));
}

TEST(RotaryEmbedding, RefusesWhatHasNoPairs) {
  const TestOperand one = Constant({1}, {1}), two = Constant({2}, {1, 1});
  EXPECT_EQ(LabelOf(Rotate(Values({3}, {1, 2, 3}), one, one, false)), "lowering_operands");
  EXPECT_EQ(LabelOf(Rotate(Values({2}, {1, 2}), one, two, false)), "lowering_operands");
  EXPECT_EQ(LabelOf(Rotate(Values({2}, {1, 2}), two, two, false)), "lowering_operands");
  EXPECT_EQ(LabelOf(Rotate(Values({}, {1}), one, one, false)), "lowering_operands");
}

// Two heads of one element, all projections the identity.
LoweringCase Identity(int64_t heads) {
  const TestOperand w = Constant({2, 2}, {1, 0, 0, 1}), m = Constant({2}, {1, 1}), b = Constant({2}, {0, 0});
  const TestOperand x = Values({1, 2, 2}, {1, 0, 3, 0});
  LoweringCase test = {.name = "multi_head_attention", .operands = {x, x, x}};
  for (int i = 0; i < 4; ++i) test.operands.insert(test.operands.end(), {w, m, b});
  test.operands.push_back(Constant({2}, {1 << 30, 1 << 29}));
  test.attributes = Pack(MultiHeadAttentionAttrs{
      .heads = heads, .multiplier = 3, .lo = -127, .hi = 127, .result_lo = -127, .result_hi = 127});
  return test;
}

TEST(MultiHeadAttention, AttendsHeadByHead) {
  const auto y = RunLowering(Identity(2));
  ASSERT_TRUE(y.ok()) << y.status();
  // Head 0 has the logits 1, 3 and 3, 9: distances beyond the table, so each query takes the second row. Head
  // 1 is all zero. Times 3.
  EXPECT_EQ(y->values[0], (Ints{9, 0, 9, 0}));
  EXPECT_EQ(y->instructions, (std::vector<std::string>{"matmul", "rescale", "reshape", "transpose", "matmul",
                                                       "rescale", "reshape", "transpose", "matmul", "rescale",
                                                       "reshape", "transpose", "scaled_dot_product_attention",
                                                       "transpose", "reshape", "matmul", "rescale"}));
}

TEST(MultiHeadAttention, RefusesHeadsThatDoNotDivide) {
  EXPECT_EQ(LabelOf(Identity(3)), "lowering_operands");
}

}  // namespace
}  // namespace tally
