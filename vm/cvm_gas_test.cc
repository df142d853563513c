#include "vm/cvm_gas.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "base/error.h"
#include "ops/detection/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/pooling/attrs.h"
#include "ops/reduction/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr Interval kSigned8 = {-127, 127};

TensorType Type(std::initializer_list<int64_t> dims) { return {*Shape::Create(dims), kSigned8}; }

absl::StatusOr<CvmGas> GasOf(ModuleBuilder b, ValueId result) {
  b.Result("y", result);
  auto valid = Validate(std::move(b).Build());
  if (!valid.ok()) return valid.status();
  return CvmGasOf(*valid);
}

// One operator on parameters of these shapes.
template <typename Attrs>
absl::StatusOr<CvmGas> GasOf(Opcode op, const std::vector<TensorType>& operands, const Attrs& attrs) {
  ModuleBuilder b(Profile::kCvm);
  std::vector<ValueId> ids;
  for (size_t i = 0; i < operands.size(); ++i) ids.push_back(b.Param("p" + std::to_string(i), operands[i]));
  const ValueId y = b.Op(op, ids, attrs);
  return GasOf(std::move(b), y);
}

template <typename Attrs>
int64_t TotalOf(Opcode op, const std::vector<TensorType>& operands, const Attrs& attrs) {
  const auto gas = GasOf(op, operands, attrs);
  EXPECT_TRUE(gas.ok()) << gas.status();
  return gas.ok() ? gas->total : -1;
}

// The figure that cvm-runtime itself gives for this graph.
TEST(CvmGas, OfAConvolutionIsThatOfTheRuntime) {
  const Conv2dAttrs padded = {.padding = {1, 1}};
  EXPECT_EQ(TotalOf(Opcode::kConv2d, {Type({1, 64, 56, 56}), Type({64, 64, 3, 3}), Type({64})}, padded),
            349'208'896);
}

TEST(CvmGas, CountsTheTermsOfOneGroupAndTheBias) {
  // Variables 5 * (4 * 36 + 8 * 2 * 4), results [1,8,5,5] of 3 * 2 * 4 units, and 5 for each element.
  const std::vector<TensorType> operands = {Type({1, 4, 6, 6}), Type({8, 2, 2, 2})};
  EXPECT_EQ(TotalOf(Opcode::kConv2d, operands, Conv2dAttrs{.groups = 2}), 5 * (144 + 64) + 200 * (24 + 5));
  EXPECT_EQ(TotalOf(Opcode::kDense, {Type({2, 7}), Type({3, 7})}, NoAttrs{}), 5 * (14 + 21) + 6 * (21 + 5));
  EXPECT_EQ(TotalOf(Opcode::kDense, {Type({2, 7}), Type({3, 7}), Type({3})}, NoAttrs{}),
            5 * (14 + 21 + 3) + 6 * (21 + 1 + 5));
}

TEST(CvmGas, CountsWindowsAndReducedElements) {
  EXPECT_EQ(TotalOf(Opcode::kMaxPool2d, {Type({1, 2, 6, 6})},
                    MaxPool2dAttrs{.pool_size = {3, 2}, .strides = {3, 2}}),
            5 * 72 + 12 * (6 + 5));
  EXPECT_EQ(TotalOf(Opcode::kSum, {Type({2, 3, 4})}, CvmReduceAttrs{.axis = {2}}), 5 * 24 + 6 * (4 + 5));
  EXPECT_EQ(TotalOf(Opcode::kMax, {Type({2, 3, 4})}, CvmReduceAttrs{.axis = {2}}), 5 * 24 + 6 * (1 + 5));
}

// Both operators of detection are priced by their batches; the bytes of both results count.
TEST(CvmGas, PricesDetectionByBatches) {
  EXPECT_EQ(TotalOf(Opcode::kGetValidCounts, {Type({2, 9, 6})}, GetValidCountsAttrs{}),
            5 * 108 + 2 * 1 + 5 * (2 + 108));
  EXPECT_EQ(TotalOf(Opcode::kNonMaxSuppression, {Type({2, 9, 6}), Type({2})}, NonMaxSuppressionAttrs{}),
            5 * (108 + 2) + 108 * (20 * 2 + 5));
}

TEST(CvmGas, IsTheSameForConstantsAndParameters) {
  const auto of_params = GasOf(Opcode::kBroadcastAdd, {Type({3, 2}), Type({2})}, NoAttrs{});
  ModuleBuilder b(Profile::kCvm);
  const ValueId x = b.Param("x", Type({3, 2}));
  const ValueId c = b.Constant(*Tensor::FromValues(*Shape::Create({2}), {10, 20}));
  const auto of_constant = GasOf(std::move(b), b.Op(Opcode::kBroadcastAdd, {x, c}));
  ASSERT_TRUE(of_params.ok() && of_constant.ok());
  EXPECT_EQ(of_constant->total, 5 * (6 + 2) + 6 * (1 + 5));
  EXPECT_EQ(of_params->total, of_constant->total);
  EXPECT_EQ(of_constant->values, (std::vector<int64_t>{30, 10, 36}));
  EXPECT_EQ(of_params->values, of_constant->values);
}

TEST(CvmGas, OfAnotherProfileIsRefused) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", Type({3, 2}));
  EXPECT_EQ(ErrorLabel(GasOf(std::move(b), x).status()), "cvm_gas_profile");
}

// One window of 32'768^2 = 2^30 elements, and a larger one.
TEST(CvmGas, IsLimitedForEachElement) {
  for (const int64_t size : {32'768, 32'769}) {
    const MaxPool2dAttrs attrs = {.pool_size = {size, size}, .strides = {4096, 4096}, .padding = {4096}};
    const auto gas = GasOf(Opcode::kMaxPool2d, {Type({1, 1, 28'000, 28'000})}, attrs);
    EXPECT_EQ(ErrorLabel(gas.status()), size == 32'768 ? "" : "cvm_gas_limit");
  }
}

// 1'001^2 windows of 10^6 elements come just below 2^40, twice as many do not.
TEST(CvmGas, IsLimitedForOperatorsTogether) {
  const MaxPool2dAttrs attrs = {.pool_size = {1'000, 1'000}};
  EXPECT_TRUE(GasOf(Opcode::kMaxPool2d, {Type({1, 1, 2'000, 2'000})}, attrs).ok());
  // 2^20 windows of 2^20 elements are 2^40, just the limit.
  EXPECT_TRUE(
      GasOf(Opcode::kMaxPool2d, {Type({1, 1, 2'047, 2'047})}, MaxPool2dAttrs{.pool_size = {1'024, 1'024}})
          .ok());
  EXPECT_EQ(ErrorLabel(GasOf(Opcode::kMaxPool2d, {Type({2, 1, 2'000, 2'000})}, attrs).status()),
            "cvm_gas_limit");
}

// 5 * 2^30 for each tensor: 204 of them come just below 2^40.
TEST(CvmGas, IsLimitedForMemoryTogether) {
  for (const int count : {204, 205}) {
    ModuleBuilder b(Profile::kCvm);
    for (int i = 0; i < count; ++i) b.Param("p" + std::to_string(i), Type({64, 1 << 24}));
    EXPECT_EQ(ErrorLabel(GasOf(std::move(b), 0).status()), count == 204 ? "" : "cvm_gas_limit");
  }
}

}  // namespace
}  // namespace tally
