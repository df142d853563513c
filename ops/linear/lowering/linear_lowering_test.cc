#include <gtest/gtest.h>

#include "ops/linear/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

using Names = std::vector<std::string>;

// The operator itself and its lowering: the same types and values.
void ExpectEqual(Opcode op, const std::vector<TestOperand>& operands, const Attributes& attributes) {
  const auto defined = RunOp({.op = op, .operands = operands, .attributes = attributes});
  const auto lowered = RunLowering({.name = InfoOf(op).name, .operands = operands, .attributes = attributes});
  ASSERT_TRUE(defined.ok() && lowered.ok()) << defined.status() << lowered.status();
  EXPECT_EQ(lowered->values, defined->values);
  EXPECT_EQ(lowered->types, defined->types);
}

TestOperand Ramp(std::initializer_list<int64_t> dims, int64_t count, int64_t start, Interval within) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(start + i % 7);
  return Values(dims, values, within);
}

TEST(Conv2dLowering, EqualsTheOperator) {
  const TestOperand x = Ramp({2, 4, 3, 4}, 96, -3, {-9, 9}), bias = Values({2}, {100, -100}, {-128, 128});
  TestOperand w = Ramp({2, 2, 2, 3}, 24, -2, {-5, 5});
  for (const bool constant : {false, true}) {
    w.constant = constant;
    if (constant) w.interval.reset();
    for (int64_t padding = 0; padding <= 2; ++padding) {
      const Conv2dAttrs attrs = {.padding = {padding, 1}, .stride = {1, 2}, .dilation = {1, 2}, .groups = 2};
      ExpectEqual(Opcode::kConv2d, {x, w, bias}, Pack(attrs));
      ExpectEqual(Opcode::kConv2d, {x, w}, Pack(attrs));
    }
  }
}

TEST(DenseLowering, EqualsTheOperator) {
  const TestOperand x = Ramp({2, 3}, 6, -3, {-9, 9});
  ExpectEqual(Opcode::kDense, {x, Ramp({2, 3}, 6, -2, {-5, 5}), Values({2}, {7, -7})}, {});
  ExpectEqual(Opcode::kDense, {x, Constant({2, 3}, {1, -2, 3, -4, 5, -6}), Constant({2}, {70, -7})}, {});
}

TEST(FullyConnectedLowering, ReshapesAConstantWhenItIsWritten) {
  const auto y =
      RunLowering({.name = "fully_connected",
                   .operands = {Values({1, 2, 2}, {1, 2, 3, 4}, {0, 9}), Constant({1, 4}, {1, -1, 1, -1})},
                   .attributes = Pack(FullyConnectedAttrs{})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->instructions, (Names{"reshape", "convolution", "reshape"}));
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-2}));
  EXPECT_EQ(y->types[0].ToString(), "[1,1] in [-18, 18]");
}

TEST(FullyConnectedLowering, RefusesAxesThatDoNotExist) {
  const std::vector<TestOperand> operands = {Values({1, 2}, {0, 0}), Values({1, 2}, {0, 0})};
  for (const int64_t axis : {-3, 2}) {
    EXPECT_EQ(LabelOf(LoweringCase{.name = "fully_connected",
                                   .operands = operands,
                                   .attributes = Pack(FullyConnectedAttrs{.axis = axis})}),
              "lowering_operands");
  }
}

TEST(NumpyMatmulLowering, TwoVectorsGiveAScalar) {
  const auto y = RunLowering({.name = "numpy_matmul",
                              .operands = {Values({2}, {3, 4}), Values({2}, {10, 100})},
                              .attributes = Pack(MatmulAttrs{.transpose_a = true})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].shape.ToString(), "[]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{430}));
}

TEST(NumpyMatmulLowering, AVectorMeetsEveryMatrixOfABatch) {
  const auto y = RunLowering({.name = "numpy_matmul",
                              .operands = {Values({2}, {1, 10}), Values({3, 2, 1}, {1, 2, 3, 4, 5, 6})},
                              .attributes = Pack(MatmulAttrs{})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].shape.ToString(), "[3,1]");
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{21, 43, 65}));
}

TEST(BinaryConvolutionLowering, CountsEqualBits) {
  const BinaryConvolutionAttrs attrs = {.stride = {1}, .dilation = {1}, .pad_begin = {1}, .pad_end = {0}};
  const auto y = RunLowering({.name = "binary_convolution",
                              .operands = {Values({1, 1, 3}, {1, 0, 1}, {0, 1}), Constant({1, 1, 2}, {0, 1})},
                              .attributes = Pack(attrs)});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->instructions, (Names{"lincomb", "pad", "convolution"}));
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{2, -2, 2}));
}

}  // namespace
}  // namespace tally
