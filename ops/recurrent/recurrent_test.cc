// Refusals and shapes of the three operators; ops/recurrent/recurrent_parts_test.cc holds them to their
// parts.
#include <gtest/gtest.h>

#include "ops/recurrent/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

const TestOperand kHalf = Constant({2}, {1 << 14, 1 << 14});

TestOperand Fill(std::initializer_list<int64_t> dims, int64_t value, bool constant = true) {
  const Shape shape = *Shape::Create(dims);
  return {*Tensor::FromValues(shape, Ints(shape.num_elements(), value)), {}, constant};
}

// T = 3, B = 2, I = 2, H = 2, D = 1; of `gates` gates.
std::vector<TestOperand> Operands(int64_t gates, std::vector<TestOperand> behind) {
  std::vector<TestOperand> o = {Fill({3, 2, 2}, 1, false),  Fill({1, 2 * gates, 2}, 1),
                                Fill({1, 2 * gates, 2}, 1), Fill({1, 2 * gates}, 1),
                                Fill({1, 2 * gates}, 1),    Fill({1, 2 * gates}, 1)};
  o.insert(o.end(), behind.begin(), behind.end());
  return o;
}

OpCase RnnCase(const RnnAttrs& attrs = {}, std::vector<TestOperand> more = {}) {
  more.insert(more.begin(), kHalf);
  return {.op = Opcode::kRnn, .operands = Operands(1, more), .attributes = Pack(attrs)};
}
OpCase GruCase(const GruAttrs& attrs = {}, std::vector<TestOperand> more = {}) {
  more.insert(more.begin(), 2, kHalf);
  return {.op = Opcode::kGru, .operands = Operands(3, more), .attributes = Pack(attrs)};
}
OpCase LstmCase(const LstmAttrs& attrs = {}, std::vector<TestOperand> more = {}) {
  more.insert(more.begin(), 3, kHalf);
  return {.op = Opcode::kLstm, .operands = Operands(4, more), .attributes = Pack(attrs)};
}

OpCase With(OpCase test, size_t i, TestOperand operand) {
  test.operands[i] = std::move(operand);
  return test;
}

constexpr int64_t kWide = int64_t{1} << 47;  // beyond the tensor limit

RnnAttrs Initial() { return {.initial_state = true}; }
RnnAttrs Lengths() { return {.lengths = true}; }
GruAttrs GruOf(const RnnAttrs& attrs) {
  GruAttrs gru;
  static_cast<RnnAttrs&>(gru) = attrs;
  return gru;
}
LstmAttrs LstmOf(const RnnAttrs& attrs) {
  LstmAttrs lstm;
  static_cast<RnnAttrs&>(lstm) = attrs;
  return lstm;
}

TEST(Rnn, GivesEveryStateAndTheLast) {
  const auto y = RunOp(RnnCase());
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[3,1,2,2] in [16384, 16384]");
  EXPECT_EQ(y->types[1].ToString(), "[1,2,2] in [16384, 16384]");
  EXPECT_EQ(y->gas, 3 * (2 * 2 * (10 * 2 + 10 * 2 + 1200) + 6144));
}

TEST(Rnn, PutsZerosBehindTheEndOfASequence) {
  const auto y = RunOp(RnnCase(Lengths(), {Values({2}, {0, 2}, {0, 3})}));
  ASSERT_TRUE(y.ok()) << y.status();
  const int64_t h = 1 << 14;
  EXPECT_EQ(y->values[0], (Ints{0, 0, h, h, 0, 0, h, h, 0, 0, 0, 0}));
  EXPECT_EQ(y->values[1], (Ints{0, 0, h, h}));
  EXPECT_EQ(y->types[0].interval, (Interval{0, h}));
}

TEST(Rnn, ASequenceWithoutStepsKeepsItsInitialState) {
  const auto y = RunOp(RnnCase({.initial_state = true, .lengths = true},
                               {Values({1, 2, 2}, {1, 2, 3, 4}), Values({2}, {0, 3})}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[1], (Ints{1, 2, 1 << 14, 1 << 14}));
}

// A sum over the past: h' = h + x.
OpCase Sums(Direction direction, const Ints& x, int64_t length) {
  const int64_t d = direction == Direction::kBidirectional ? 2 : 1;
  Ints identity;
  for (int64_t v = -512; v < 512; ++v) identity.push_back(v);
  const auto steps = std::ssize(x);
  return {.op = Opcode::kRnn,
          .operands = {Values({steps, 1, 1}, x), Fill({d, 1, 1}, 1), Fill({d, 1, 1}, 1), Fill({d, 1}, 1),
                       Fill({d, 1}, 1), Fill({d, 1}, 0), Constant({1024}, identity),
                       Values({1}, {length}, {0, steps})},
          .attributes = Pack(RnnAttrs{.direction = direction, .lengths = true})};
}

TEST(Rnn, WalksInItsDirection) {
  EXPECT_EQ(RunOp(Sums(Direction::kForward, {1, 10, 100}, 3))->values[0], (Ints{1, 11, 111}));
  EXPECT_EQ(RunOp(Sums(Direction::kReverse, {1, 10, 100}, 3))->values[0], (Ints{111, 110, 100}));
  EXPECT_EQ(RunOp(Sums(Direction::kReverse, {1, 10, 100}, 2))->values[0], (Ints{11, 10, 0}));
  const auto both = RunOp(Sums(Direction::kBidirectional, {1, 10, 100}, 2));
  EXPECT_EQ(both->values[0], (Ints{1, 11, 11, 10, 0, 0}));
  EXPECT_EQ(both->values[1], (Ints{11, 11}));
}

TEST(Lstm, GivesStatesAndCells) {
  const auto y = RunOp(LstmCase());
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[3,1,2,2] in [8192, 8192]");
  EXPECT_EQ(y->types[1].ToString(), "[1,2,2] in [8192, 8192]");
  EXPECT_EQ(y->types[2].ToString(), "[1,2,2] in [-32768, 32767]");
  EXPECT_EQ(y->gas, 3 * (2 * 8 * (10 * 2 + 10 * 2 + 1200) + 6144));
  // c = c / 2 + 1/4 in 12 bits
  EXPECT_EQ(y->values[2], (Ints{1792, 1792, 1792, 1792}));
}

TEST(Lstm, ClampsTheCell) {
  const auto y = RunOp(LstmCase({.cell_lo = -9, .cell_hi = 1500}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[2].ToString(), "[1,2,2] in [-9, 1500]");
  EXPECT_EQ(y->values[2], (Ints{1500, 1500, 1500, 1500}));
}

TEST(Gru, IsAMeanOfTheOldStateAndTheNew) {
  const auto y = RunOp(GruCase(GruOf(Initial()), {Values({1, 2, 2}, {0, 100, -100, -32768})}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[3,1,2,2] in [-32768, 16384]");
  EXPECT_EQ(y->gas, 3 * (2 * 6 * (10 * 2 + 10 * 2 + 1200) + 6144));
}

TEST(Rnn, C1_RefusesAnotherNumberOfOperands) {
  EXPECT_EQ(LabelOf(RnnCase(Initial())), "rnn_c1");
  EXPECT_EQ(LabelOf(RnnCase({}, {kHalf})), "rnn_c1");
}
TEST(Lstm, C1_RefusesAnotherNumberOfOperands) {
  EXPECT_EQ(LabelOf(LstmCase({.projection = true}, {kHalf})), "lstm_c1");
}
TEST(Gru, C1_RefusesAnotherNumberOfOperands) { EXPECT_EQ(LabelOf(GruCase({.reset_after = true})), "gru_c1"); }

TEST(Rnn, C2_RefusesAConstantBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOf(With(RnnCase(), 2, Fill({1, 2, 2}, kWide))), "rnn_c2");
}
TEST(Lstm, C2_RefusesAConstantBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOf(With(LstmCase(), 1, Fill({1, 8, 2}, kWide))), "lstm_c2");
}
TEST(Gru, C2_RefusesAConstantBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOf(With(GruCase(), 0, Fill({3, 2, 2}, kWide))), "gru_c2");
}

TEST(Rnn, C3_RefusesMatricesThatDoNotFit) {
  EXPECT_EQ(LabelOf(With(RnnCase(), 0, Fill({3, 2}, 1))), "rnn_c3");
  EXPECT_EQ(LabelOf(With(RnnCase(), 1, Fill({1, 2, 3}, 1))), "rnn_c3");
  EXPECT_EQ(LabelOf(With(RnnCase(), 2, Fill({1, 2, 3}, 1))), "rnn_c3");
  EXPECT_EQ(LabelOf(RnnCase({.direction = Direction::kBidirectional})), "rnn_c3");
}
TEST(Lstm, C3_RefusesMatricesThatDoNotFit) {
  EXPECT_EQ(LabelOf(With(LstmCase(), 2, Fill({1, 7, 2}, 1))), "lstm_c3");
  EXPECT_EQ(LabelOf(With(LstmCase(), 2, Fill({1, 8, 3}, 1))), "lstm_c3");
}
TEST(Gru, C3_RefusesMatricesThatDoNotFit) {
  EXPECT_EQ(LabelOf(With(GruCase(), 2, Fill({1, 8, 2}, 1))), "gru_c3");
}

TEST(Rnn, C4_RefusesMultipliersThatAreNoConstantsOfTheRows) {
  EXPECT_EQ(LabelOf(With(RnnCase(), 3, Fill({1, 2}, 1, false))), "rnn_c4");
  EXPECT_EQ(LabelOf(With(RnnCase(), 5, Fill({2}, 1))), "rnn_c4");
}
TEST(Lstm, C4_RefusesMultipliersThatAreNoConstantsOfTheRows) {
  EXPECT_EQ(LabelOf(With(LstmCase(), 4, Fill({1, 2}, 1))), "lstm_c4");
}
TEST(Gru, C4_RefusesMultipliersThatAreNoConstantsOfTheRows) {
  EXPECT_EQ(LabelOf(With(GruCase(), 4, Fill({1, 2}, 1))), "gru_c4");
}

TEST(Rnn, C5_RefusesTablesOfAnotherForm) {
  EXPECT_EQ(LabelOf(With(RnnCase(), 6, Fill({2}, 1, false))), "rnn_c5");
  EXPECT_EQ(LabelOf(With(RnnCase(), 6, Fill({3}, 1))), "rnn_c5");
  EXPECT_EQ(LabelOf(With(RnnCase(), 6, Fill({1, 2}, 1))), "rnn_c5");
  EXPECT_EQ(LabelOf(With(RnnCase(), 6, Fill({65536}, 1))), "");
  EXPECT_EQ(LabelOf(With(RnnCase(), 6, Fill({65538}, 1))), "rnn_c5");
}
TEST(Lstm, C5_RefusesTablesOfAnotherForm) {
  EXPECT_EQ(LabelOf(With(LstmCase(), 8, Fill({3}, 1))), "lstm_c5");
}
TEST(Gru, C5_RefusesTablesOfAnotherForm) { EXPECT_EQ(LabelOf(With(GruCase(), 7, Fill({3}, 1))), "gru_c5"); }

TEST(Rnn, C6_RefusesEntriesOf17Bits) {
  EXPECT_EQ(LabelOf(With(RnnCase(), 6, Fill({2}, kState))), "");
  EXPECT_EQ(LabelOf(With(RnnCase(), 6, Fill({2}, -kState - 1))), "rnn_c6");
}
TEST(Lstm, C6_RefusesEntriesOf17Bits) {
  EXPECT_EQ(LabelOf(With(LstmCase(), 7, Fill({2}, kState + 1))), "lstm_c6");
}
TEST(Gru, C6_RefusesEntriesOf17Bits) {
  EXPECT_EQ(LabelOf(With(GruCase(), 7, Fill({2}, kState + 1))), "gru_c6");
}

TEST(Rnn, C7_RefusesAnInitialStateOfAnotherForm) {
  EXPECT_EQ(LabelOf(RnnCase(Initial(), {Fill({1, 2, 2}, kState - 1)})), "");
  EXPECT_EQ(LabelOf(RnnCase(Initial(), {Fill({1, 2, 2}, kState)})), "rnn_c7");
  EXPECT_EQ(LabelOf(RnnCase(Initial(), {Fill({2, 2}, 1)})), "rnn_c7");
}
TEST(Lstm, C7_RefusesAnInitialStateOfAnotherForm) {
  EXPECT_EQ(LabelOf(LstmCase(LstmOf(Initial()), {Fill({1, 2, 2}, 1), Fill({1, 2, 1}, 1)})), "lstm_c7");
}
TEST(Gru, C7_RefusesAnInitialStateOfAnotherForm) {
  EXPECT_EQ(LabelOf(GruCase(GruOf(Initial()), {Fill({1, 2, 1}, 1)})), "gru_c7");
}

TEST(Rnn, C8_RefusesLengthsOutsideTheSequence) {
  EXPECT_EQ(LabelOf(RnnCase(Lengths(), {Fill({2}, 3, false)})), "");
  EXPECT_EQ(LabelOf(RnnCase(Lengths(), {Fill({2}, 4, false)})), "rnn_c8");
  EXPECT_EQ(LabelOf(RnnCase(Lengths(), {Fill({2}, -1, false)})), "rnn_c8");
  EXPECT_EQ(LabelOf(RnnCase(Lengths(), {Fill({3}, 1, false)})), "rnn_c8");
}
TEST(Lstm, C8_RefusesLengthsOutsideTheSequence) {
  EXPECT_EQ(LabelOf(LstmCase(LstmOf(Lengths()), {Fill({2}, 4)})), "lstm_c8");
}
TEST(Gru, C8_RefusesLengthsOutsideTheSequence) {
  EXPECT_EQ(LabelOf(GruCase(GruOf(Lengths()), {Fill({2}, 4)})), "gru_c8");
}

// |W x| <= 2 and |R h| <= 2 * 2^14, each times 1, and the bias.
TEST(Rnn, C9_RefusesGatesThatLeave64Bits) {
  const int64_t largest = std::numeric_limits<int64_t>::max() - (int64_t{1} << 32) - 2 - (1 << 15);
  EXPECT_EQ(LabelOf(With(RnnCase(), 5, Fill({1, 2}, -largest))), "");
  EXPECT_EQ(LabelOf(With(RnnCase(), 5, Fill({1, 2}, -largest - 1))), "rnn_c9");
}
TEST(Lstm, C9_RefusesGatesThatLeave64Bits) {
  EXPECT_EQ(LabelOf(With(LstmCase(), 5, Fill({1, 8}, std::numeric_limits<int64_t>::min()))), "lstm_c9");
  EXPECT_EQ(LabelOf(LstmCase({.peephole = true}, {Fill({1, 6}, int64_t{1} << 48)})), "lstm_c9");
}
TEST(Gru, C9_RefusesGatesThatLeave64Bits) {
  EXPECT_EQ(LabelOf(With(GruCase(), 4, Fill({1, 6}, int64_t{1} << 48))), "gru_c9");
}

TEST(Gru, C10_RefusesNegativeGates) { EXPECT_EQ(LabelOf(With(GruCase(), 6, Fill({2}, -1))), "gru_c10"); }

TEST(Gru, C11_RefusesAResetBiasThatIsNoConstantOfTheUnits) {
  EXPECT_EQ(LabelOf(GruCase({.reset_after = true}, {Fill({1, 2}, 1, false)})), "gru_c11");
  EXPECT_EQ(LabelOf(GruCase({.reset_after = true}, {Fill({2}, 1)})), "gru_c11");
}

TEST(Gru, C12_RefusesAResetThatLeaves64Bits) {
  const auto label = [](int64_t bias, int64_t shift) {
    GruAttrs attrs = {.reset_after = true};
    attrs.shift = shift;
    return LabelOf(GruCase(attrs, {Fill({1, 2}, bias)}));
  };
  EXPECT_EQ(label(1, 47), "");
  EXPECT_EQ(label(1, 48), "gru_c12");
  EXPECT_EQ(label((int64_t{1} << 48) - (1 << 20), 0), "");
  EXPECT_EQ(label(int64_t{1} << 48, 0), "gru_c12");
}

TEST(Lstm, C10_RefusesPeepholeWeightsThatAreNoConstantOfTheUnits) {
  EXPECT_EQ(LabelOf(LstmCase({.peephole = true}, {Fill({1, 6}, 1, false)})), "lstm_c10");
  EXPECT_EQ(LabelOf(LstmCase({.peephole = true}, {Fill({1, 8}, 1)})), "lstm_c10");
}

TEST(Lstm, C11_RefusesAProjectionOfAnotherShape) {
  EXPECT_EQ(LabelOf(LstmCase({.projection = true}, {Fill({1, 2, 3}, 1), Fill({1, 2}, 1)})), "lstm_c11");
  EXPECT_EQ(LabelOf(LstmCase({.projection = true}, {Fill({1, 2, 2}, 1), Fill({1, 2}, 1, false)})),
            "lstm_c11");
}

TEST(Lstm, C12_RefusesAProjectionBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOf(LstmCase({.projection = true}, {Fill({1, 2, 2}, kWide), Fill({1, 2}, 1)})), "lstm_c12");
}

TEST(Lstm, C13_RefusesAProjectionThatCannotBeRounded) {
  // |projection u| <= 2 * 2^13
  EXPECT_EQ(LabelOf(LstmCase({.projection = true}, {Fill({1, 2, 2}, 1), Fill({1, 2}, int64_t{1} << 48)})),
            "");
  EXPECT_EQ(LabelOf(LstmCase({.projection = true}, {Fill({1, 2, 2}, 1), Fill({1, 2}, int64_t{1} << 49)})),
            "lstm_c13");
}

TEST(Lstm, C14_RefusesAnEmptyClampOfTheCell) {
  EXPECT_EQ(LabelOf(LstmCase({.cell_lo = 1, .cell_hi = 0})), "lstm_c14");
}

}  // namespace
}  // namespace tally
