#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "ops/rescale/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

constexpr int64_t kCvmMax = (int64_t{1} << 31) - 1;
constexpr int64_t kElementHi = (int64_t{1} << 47) - 1;

OpCase Shift(Opcode op, TestOperand x, CvmShiftAttrs attrs, Profile profile = Profile::kCvm) {
  return {.op = op, .profile = profile, .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

TEST(CvmClip, IsSymmetric) {
  const auto y = RunOp({.op = Opcode::kCvmClip,
                        .profile = Profile::kCvm,
                        .operands = {Values({5}, {-300, -128, -127, 127, 128})},
                        .attributes = Pack(CvmClipAttrs{8})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-127, -127, -127, 127, 127}));
  EXPECT_EQ(y->precisions, (std::vector<int>{8}));
  EXPECT_EQ(y->gas, 10 * 5);
}

TEST(CvmClip, PrecisionOneLeavesOnlyZero) {
  const auto y = RunOp(
      {.op = Opcode::kCvmClip, .operands = {Values({2}, {-7, 7})}, .attributes = Pack(CvmClipAttrs{1})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].interval, (Interval{0, 0}));
}

TEST(CvmClip, IntervalKeepsWhatIsInside) {
  const auto y = RunOp(
      {.op = Opcode::kCvmClip, .operands = {Values({2}, {-3, 900})}, .attributes = Pack(CvmClipAttrs{8})});
  EXPECT_EQ(y->types[0].interval, (Interval{-3, 127}));
}

TEST(CvmRightShift, RoundsTiesUp) {
  const auto y = RunOp(Shift(Opcode::kCvmRightShift, Values({6}, {-5, -3, -1, 1, 3, 5}), {8, 1}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(y->types[0].interval, (Interval{-2, 3}));
  EXPECT_EQ(y->precisions, (std::vector<int>{8}));
  EXPECT_EQ(y->gas, 768 + 22 * 6);
}

// Shifts by 31 and more, the addition of 1 next to 2^31, and saturation at every width: implementations of
// CVM disagree there.
TEST(CvmRightShift, IsExactAtTheEdgesOf32Bits) {
  const auto shifted = [](int64_t x, CvmShiftAttrs attrs) {
    return RunOp(Shift(Opcode::kCvmRightShift, Values({1}, {x}), attrs))->values[0][0];
  };
  EXPECT_EQ(shifted(-1, {8, 31}), 0);
  EXPECT_EQ(shifted(int64_t{1} << 30, {8, 31}), 1);
  EXPECT_EQ(shifted((int64_t{1} << 30) - 1, {8, 31}), 0);
  EXPECT_EQ(shifted(-(int64_t{1} << 30) - 1, {8, 31}), -1);
  EXPECT_EQ(shifted(kCvmMax, {8, 32}), 0);
  EXPECT_EQ(shifted(-kCvmMax, {8, 32}), 0);
  EXPECT_EQ(shifted(kCvmMax, {8, 24}), 127);
  EXPECT_EQ(shifted(-kCvmMax, {8, 24}), -127);
  EXPECT_EQ(shifted(kCvmMax, {32, 1}), int64_t{1} << 30);
  EXPECT_EQ(shifted(kCvmMax, {8, 1}), 127);
}

TEST(CvmRightShift, IntervalIsTighterThanThePrecision) {
  const auto y = RunOp(Shift(Opcode::kCvmRightShift, Values({1}, {0}, {-1000, 1000}), {16, 4}));
  EXPECT_EQ(y->types[0].interval, (Interval{-62, 63}));
}

// The lowering that ops/rescale/spec.md names.
TEST(CvmRightShift, IsARescale) {
  const TestOperand x = Values({9}, {-kCvmMax, -129, -128, -1, 0, 1, 127, 128, kCvmMax});
  for (int64_t shift_bit = 1; shift_bit <= 32; ++shift_bit) {
    for (const int64_t precision : {1, 8, 32}) {
      const int64_t alpha = (int64_t{1} << (precision - 1)) - 1;
      const auto shifted = RunOp(Shift(Opcode::kCvmRightShift, x, {precision, shift_bit}));
      const auto rescaled =
          RunOp({.op = Opcode::kRescale,
                 .operands = {x, Constant({1}, {1}), Constant({1}, {0}), Constant({1}, {shift_bit})},
                 .attributes = Pack(RescaleAttrs{.lo = -alpha, .hi = alpha})});
      ASSERT_TRUE(shifted.ok() && rescaled.ok()) << shifted.status() << rescaled.status();
      EXPECT_EQ(shifted->values, rescaled->values) << "precision " << precision << " shift " << shift_bit;
      EXPECT_EQ(shifted->types, rescaled->types) << "precision " << precision << " shift " << shift_bit;
    }
  }
}

TEST(CvmRightShift, C1_RefusesAConstantBeyondTheTensorLimit) {
  const auto label = [](int64_t x) {
    return LabelOf(Shift(Opcode::kCvmRightShift, Constant({1}, {x}), {8, 32}, Profile::kCore));
  };
  EXPECT_EQ(label(kElementHi), "");
  EXPECT_EQ(label(kElementHi + 1), "cvm_right_shift_c1");
}

TEST(CvmLeftShift, SaturatesInsteadOfWrapping) {
  const auto y = RunOp(Shift(Opcode::kCvmLeftShift, Values({5}, {-8, -7, 0, 7, 8}), {8, 4}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-127, -112, 0, 112, 127}));
  EXPECT_EQ(y->types[0].interval, (Interval{-127, 127}));
  EXPECT_EQ(y->precisions, (std::vector<int>{8}));
  EXPECT_EQ(y->gas, 768 + 22 * 5);
}

TEST(CvmLeftShift, SaturatesWhateverTheOperandInProfileCore) {
  const int64_t widest = std::numeric_limits<int64_t>::max();
  const auto y =
      RunOp(Shift(Opcode::kCvmLeftShift, Constant({3}, {-widest, 0, widest}), {32, 32}, Profile::kCore));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-kCvmMax, 0, kCvmMax}));
}

TEST(CvmLeftShift, C1_RefusesWhatThePublishedRuleRefusesInProfileCvmOnly) {
  const TestOperand x = Values({1}, {127});  // precision 8
  EXPECT_EQ(LabelOf(Shift(Opcode::kCvmLeftShift, x, {32, 24})), "");
  EXPECT_EQ(LabelOf(Shift(Opcode::kCvmLeftShift, x, {32, 25})), "cvm_left_shift_c1");
  EXPECT_EQ(LabelOf(Shift(Opcode::kCvmLeftShift, x, {32, 25}, Profile::kCore)), "");
}

}  // namespace
}  // namespace tally
