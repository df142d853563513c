#include <gtest/gtest.h>

#include "ops/layout/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase IotaCase(const IotaAttrs& attrs) {
  return {.op = Opcode::kIota, .operands = {}, .attributes = Pack(attrs)};
}
OpCase FillCase(const FillAttrs& attrs) {
  return {.op = Opcode::kFill, .operands = {}, .attributes = Pack(attrs)};
}

TEST(Iota, GrowsAlongItsAxis) {
  const auto y = RunOp(IotaCase({.shape = {2, 3}, .axis = -1, .start = 5, .step = -2}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,3] in [1, 5]");
  EXPECT_EQ(y->values[0], (Ints{5, 3, 1, 5, 3, 1}));
  EXPECT_EQ(y->gas, 28 * 6);
  EXPECT_EQ(RunOp(IotaCase({.shape = {2, 2}}))->values[0], (Ints{0, 0, 1, 1}));
}

TEST(Iota, C1_RefusesAnAxisOutsideTheRank) {
  EXPECT_EQ(LabelOf(IotaCase({.shape = {2}, .axis = 1})), "iota_c1");
  EXPECT_EQ(LabelOf(IotaCase({.shape = {}})), "iota_c1");
}

TEST(Iota, ReachesTheLimitAndNotBeyond) {
  const int64_t limit = int64_t{1} << 47;
  EXPECT_EQ(LabelOf(IotaCase({.shape = {2}, .start = -1, .step = limit - 1})), "");
  EXPECT_EQ(LabelOf(IotaCase({.shape = {2}, .start = 1, .step = limit - 1})), "value_range");
  EXPECT_EQ(LabelOf(IotaCase({.shape = {INT32_MAX}, .step = -limit})), "value_range");
  EXPECT_EQ(LabelOf(IotaCase({.shape = {INT32_MAX, INT32_MAX}})), "shape_elements");
}

TEST(Fill, HoldsOneValue) {
  const auto y = RunOp(FillCase({.shape = {2, 2}, .value = -300}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,2] in [-300, -300]");
  EXPECT_EQ(y->values[0], (Ints{-300, -300, -300, -300}));
  EXPECT_EQ(y->gas, 3 * 4);
  EXPECT_EQ(RunOp(FillCase({}))->values[0], Ints{0});
}

TEST(Fill, RefusesResultsOutsideTheLimits) {
  EXPECT_EQ(LabelOf(FillCase({.shape = {2}, .value = int64_t{1} << 47})), "attribute_range");
  EXPECT_EQ(LabelOf(FillCase({.shape = {INT32_MAX, INT32_MAX}})), "shape_elements");
}

}  // namespace
}  // namespace tally
