#include <gtest/gtest.h>

#include "ops/detection/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using List = std::vector<int64_t>;

// Scores of 4 classes whose best are `path`.
TestOperand Path(const List& path) {
  std::vector<int64_t> x(path.size() * 4, 0);
  for (size_t t = 0; t < path.size(); ++t) x[t * 4 + static_cast<size_t>(path[t])] = 9;
  return Values({static_cast<int64_t>(path.size()), 1, 4}, std::move(x));
}

OpCase Case(std::vector<TestOperand> operands, const CtcGreedyDecoderAttrs& attrs = {.blank = 3}) {
  return {.op = Opcode::kCtcGreedyDecoder, .operands = std::move(operands), .attributes = Pack(attrs)};
}

List Decode(const OpCase& test) {
  const auto y = RunOp(test);
  EXPECT_TRUE(y.ok()) << y.status();
  return y.ok() ? List(y->values[0].begin(), y->values[0].begin() + y->values[1][0]) : List{};
}

TEST(CtcGreedyDecoder, TheExampleOfThePage) {
  const auto y = RunOp(Case({Path({0, 0, 3, 0, 1, 1, 3})}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (List{0, 0, 1, -1, -1, -1, -1}));
  EXPECT_EQ(y->values[1], List{3});
  EXPECT_EQ(y->types[0].ToString(), "[1,7] in [-1, 3]");
  EXPECT_EQ(y->types[1].ToString(), "[1] in [0, 7]");
  EXPECT_EQ(static_cast<int64_t>(y->gas), 7 * 28 + 72 * 7);
}

TEST(CtcGreedyDecoder, RepetitionsMergeOnlyWhenAskedTo) {
  EXPECT_EQ(Decode(Case({Path({2, 2, 2, 1, 2})})), (List{2, 1, 2}));
  EXPECT_EQ(Decode(Case({Path({2, 2, 2, 1, 2})}, {.blank = 3, .merge_repeated = false})),
            (List{2, 2, 2, 1, 2}));
}

TEST(CtcGreedyDecoder, ABlankKeepsRepetitionsApart) {
  EXPECT_EQ(Decode(Case({Path({3, 1, 3, 3, 1, 3})})), (List{1, 1}));
  EXPECT_EQ(Decode(Case({Path({3, 3})})), List{});
}

TEST(CtcGreedyDecoder, EqualScoresNameTheLowestClass) {
  EXPECT_EQ(Decode(Case({Values({2, 1, 3}, {-5, -5, -9, -7, -1, -1})}, {.blank = 2})), (List{0, 1}));
}

TEST(CtcGreedyDecoder, TheFirstZeroOfTheMaskEndsASequence) {
  EXPECT_EQ(Decode(Case({Path({0, 1, 2}), Values({3, 1}, {1, -7, 0})})), (List{0, 1}));
  EXPECT_EQ(Decode(Case({Path({0, 1, 2}), Values({3, 1}, {1, 0, 1})})), List{0});
  EXPECT_EQ(Decode(Case({Path({0, 1, 2}), Values({3, 1}, {0, 1, 1})})), List{});
}

TEST(CtcGreedyDecoder, ABlankBeyondTheClassesRemovesNothing) {
  EXPECT_EQ(Decode(Case({Path({3, 0})}, {.blank = 4})), (List{3, 0}));
}

TEST(CtcGreedyDecoder, C1_RefusesScoresWithoutABatch) {
  EXPECT_EQ(LabelOf(Case({Values({2, 3}, List(6))})), "ctc_greedy_decoder_c1");
}

TEST(CtcGreedyDecoder, C2_RefusesMasksOfAnotherShape) {
  EXPECT_EQ(LabelOf(Case({Values({2, 3, 4}, List(24)), Values({3, 2}, List(6))})), "ctc_greedy_decoder_c2");
}

}  // namespace
}  // namespace tally
