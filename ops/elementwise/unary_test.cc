#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "ops/elementwise/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

constexpr int64_t kCvmMax = (int64_t{1} << 31) - 1;
constexpr int64_t kElementLo = -(int64_t{1} << 47), kElementHi = (int64_t{1} << 47) - 1;

OpCase Unary(Opcode op, TestOperand x, Profile profile = Profile::kCore) {
  return {.op = op, .profile = profile, .operands = {std::move(x)}};
}

OpCase Clip(TestOperand x, int64_t a_min, int64_t a_max, Profile profile = Profile::kCore) {
  return {.op = Opcode::kClip,
          .profile = profile,
          .operands = {std::move(x)},
          .attributes = Pack(ClipAttrs{a_min, a_max})};
}

TEST(Abs, IsExactOnBothSides) {
  const auto y = RunOp(Unary(Opcode::kAbs, Values({3}, {-5, 0, 3})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{5, 0, 3}));
  EXPECT_EQ(y->gas, 5 * 3);
}

TEST(Abs, RefusesTheOneElementWithoutAMagnitude) {
  EXPECT_EQ(LabelOf(Unary(Opcode::kAbs, Values({1}, {kElementLo}))), "value_range");
  EXPECT_EQ(LabelOf(Unary(Opcode::kAbs, Values({1}, {kElementLo + 1}))), "");
}

TEST(Negative, ChangesTheSign) {
  const auto y = RunOp(Unary(Opcode::kNegative, Values({3}, {-5, 0, 3})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{5, 0, -3}));
  EXPECT_EQ(LabelOf(Unary(Opcode::kNegative, Values({1}, {kElementLo}))), "value_range");
}

TEST(Relu, ClearsNegativeValues) {
  const auto y = RunOp(Unary(Opcode::kRelu, Values({4}, {-5, 0, 3, -1})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{0, 0, 3, 0}));
}

TEST(Clip, ClampsToBothBounds) {
  const auto y = RunOp(Clip(Values({5}, {-9, -4, 0, 4, 9}), -4, 3, Profile::kCvm));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-4, -4, 0, 3, 3}));
  EXPECT_EQ(y->precisions, (std::vector<int>{4}));
}

TEST(Clip, MayLeaveOneValue) {
  const auto y = RunOp(Clip(Values({2}, {-9, 9}), 7, 7));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].interval, (Interval{7, 7}));
}

TEST(Clip, PrecisionIsThatOfTheWiderBound) {
  const auto precision = [](int64_t a_min, int64_t a_max) {
    return RunOp(Clip(Values({1}, {0}), a_min, a_max, Profile::kCvm))->precisions;
  };
  EXPECT_EQ(precision(-127, 127), (std::vector<int>{8}));  // CVM's code publishes 9
  EXPECT_EQ(precision(-128, 127), (std::vector<int>{9}));
  EXPECT_EQ(precision(-kCvmMax, kCvmMax), (std::vector<int>{32}));  // and 33
  EXPECT_EQ(precision(0, 0), (std::vector<int>{1}));
}

TEST(Clip, TakesTheWholeTensorLimit) {
  EXPECT_EQ(LabelOf(Clip(Values({2}, {kElementLo, kElementHi}), kElementLo, kElementHi)), "");
  EXPECT_EQ(LabelOf(Clip(Values({1}, {0}), 0, kElementHi + 1)), "attribute_range");
}

TEST(Clip, C1_RefusesAnEmptyRange) { EXPECT_EQ(LabelOf(Clip(Values({1}, {0}), 1, 0)), "clip_c1"); }

TEST(Clip, C2_RefusesBoundsBeyondTheProfile) {
  EXPECT_EQ(LabelOf(Clip(Values({1}, {0}), 0, kCvmMax + 1)), "");
  EXPECT_EQ(LabelOf(Clip(Values({1}, {0}), 0, kCvmMax + 1, Profile::kCvm)), "clip_c2");
  EXPECT_EQ(LabelOf(Clip(Values({1}, {0}), -kCvmMax - 1, 0, Profile::kCvm)), "clip_c2");
}

TEST(CvmPrecision, CountsBits) {
  const auto y = RunOp(
      Unary(Opcode::kCvmPrecision, Values({9}, {0, 1, -1, 2, 3, -4, 127, -128, kCvmMax}), Profile::kCvm));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{1, 1, 1, 2, 2, 3, 7, 8, 31}));
  EXPECT_EQ(y->precisions, (std::vector<int>{6}));
}

TEST(CvmPrecision, CountsThe48BitsOfProfileCore) {
  const auto y = RunOp(Unary(Opcode::kCvmPrecision, Values({2}, {kElementLo, kElementHi})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{48, 47}));
}

TEST(CvmPrecision, C1_RefusesAConstantBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOf(Unary(Opcode::kCvmPrecision, Constant({1}, {std::numeric_limits<int64_t>::min()}))),
            "cvm_precision_c1");
}

// All intervals within [-5, 5], each tensor holding every value of its interval.
TEST(Unary, IntervalsAreExact) {
  for (int64_t lo = -5; lo <= 5; ++lo) {
    for (int64_t hi = lo; hi <= 5; ++hi) {
      std::vector<int64_t> values;
      for (int64_t v = lo; v <= hi; ++v) values.push_back(v);
      const TestOperand x = {*Tensor::FromValues(*Shape::Create({hi - lo + 1}), values)};
      for (const OpCase& test : {Unary(Opcode::kAbs, x), Unary(Opcode::kNegative, x), Unary(Opcode::kRelu, x),
                                 Unary(Opcode::kCvmPrecision, x), Clip(x, -2, 3)}) {
        const auto y = RunOp(test);
        ASSERT_TRUE(y.ok()) << y.status();
        const auto [min, max] = std::minmax_element(y->values[0].begin(), y->values[0].end());
        ASSERT_EQ(y->types[0].interval, (Interval{*min, *max}))
            << InfoOf(test.op).name << " of [" << lo << ", " << hi;
      }
    }
  }
}

TEST(Unary, KeepsThePrecisionOfCvm) {
  const TestOperand x = Values({1}, {0}, {-100, 3});
  for (const Opcode op : {Opcode::kAbs, Opcode::kNegative, Opcode::kRelu}) {
    EXPECT_EQ(RunOp(Unary(op, x, Profile::kCvm))->precisions, (std::vector<int>{8})) << InfoOf(op).name;
  }
}

OpCase ClzOf(int64_t bits, TestOperand x) {
  return {.op = Opcode::kClz, .operands = {std::move(x)}, .attributes = Pack(ClzAttrs{bits})};
}

TEST(Clz, CountsInTheWidth) {
  EXPECT_EQ(RunOp(ClzOf(8, Values({5}, {0, 1, 127, 255, -3})))->values[0],
            (std::vector<int64_t>{8, 7, 1, 0, 0}));
  EXPECT_EQ(RunOp(ClzOf(48, Values({2}, {0, 1})))->values[0], (std::vector<int64_t>{48, 47}));
}

TEST(Clz, C1_RefusesValuesWiderThanTheWidth) {
  EXPECT_EQ(LabelOf(ClzOf(8, Values({1}, {256}))), "clz_c1");
  EXPECT_EQ(LabelOf(ClzOf(8, Values({1}, {-1000}))), "");
}

OpCase SqrtOf(RootRounding rounding, TestOperand x) {
  return {.op = Opcode::kSqrt, .operands = {std::move(x)}, .attributes = Pack(SqrtAttrs{rounding})};
}

TEST(Sqrt, RoundsDownOrToNearest) {
  const TestOperand x = Values({7}, {-4, 0, 2, 3, 6, 7, 8});
  EXPECT_EQ(RunOp(SqrtOf(RootRounding::kFloor, x))->values[0], (std::vector<int64_t>{0, 0, 1, 1, 2, 2, 2}));
  EXPECT_EQ(RunOp(SqrtOf(RootRounding::kNearest, x))->values[0], (std::vector<int64_t>{0, 0, 1, 2, 2, 3, 3}));
  EXPECT_EQ(RunOp(SqrtOf(RootRounding::kFloor, x))->gas, 7 * 320);
}

TEST(Sqrt, C1_RefusesWideConstants) {
  EXPECT_EQ(LabelOf(SqrtOf(RootRounding::kFloor, Constant({1}, {int64_t{1} << 47}))), "sqrt_c1");
}

}  // namespace
}  // namespace tally
