#include <gtest/gtest.h>

#include "ops/normalization/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;
using Names = std::vector<std::string>;

constexpr int64_t kOne = 1 << 20;  // for a normalized value
const TestOperand kX = Values({1, 4, 1, 2}, {1, 3, 4, 8, -5, -5, 100, 300});
const TestOperand kM = Constant({4}, {1, 2, 3, -1}), kB = Constant({4}, {0, 0, 7 * kOne, 0});

template <typename Attrs>
LoweringCase Case(std::string_view name, const Attrs& attrs, TestOperand x = kX) {
  return {.name = name, .operands = {std::move(x), kM, kB}, .attributes = Pack(attrs)};
}

template <typename Attrs>
Attrs WithClamp(Attrs attrs = {}) {
  attrs.shift = 20;
  attrs.lo = -99;
  attrs.hi = 99;
  return attrs;
}

TEST(InstanceNorm, NormalizesEachChannel) {
  const auto y = RunLowering(Case("instance_norm", WithClamp<InstanceNormAttrs>()));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->instructions, (Names{"layer_norm"}));
  EXPECT_EQ(y->values[0], (Ints{-1, 1, -2, 2, 7, 7, 1, -1}));
}

TEST(GroupNorm, OfOneChannelEachIsInstanceNorm) {
  GroupNormAttrs attrs = WithClamp<GroupNormAttrs>();
  attrs.groups = 4;
  const auto y = RunLowering(Case("group_norm", attrs));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->instructions, (Names{"reshape", "layer_norm", "reshape"}));
  EXPECT_EQ(y->types[0].shape, *Shape::Create({1, 4, 1, 2}));
  EXPECT_EQ(y->values, RunLowering(Case("instance_norm", WithClamp<InstanceNormAttrs>()))->values);
}

TEST(GroupNorm, OfOneGroupIsMvnAcrossChannels) {
  MvnAttrs attrs = WithClamp<MvnAttrs>();
  attrs.across_channels = attrs.normalize_variance = true;
  EXPECT_EQ(RunLowering(Case("group_norm", WithClamp<GroupNormAttrs>()))->values,
            RunLowering(Case("mvn", attrs))->values);
}

TEST(Mvn, SubtractsTheMeanWithoutRoundingIt) {
  MvnAttrs attrs = WithClamp<MvnAttrs>();
  attrs.shift = 1;  // 1 / N
  const auto y = RunLowering({.name = "mvn",
                              .operands = {Values({1, 1, 2}, {3, 4}), Constant({1}, {1}), Constant({1}, {0})},
                              .attributes = Pack(attrs)});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->instructions, (Names{"broadcast_mul", "reduce", "broadcast_sub", "rescale"}));
  EXPECT_EQ(y->values[0], (Ints{0, 1}));  // -1/2 and 1/2, half up
}

TEST(FeatureNorm, RefusesOperandsThatAreNoChannels) {
  const TestOperand vector = Values({1, 4}, {1, 2, 3, 4}), three = Values({1, 3, 1}, {1, 2, 3});
  EXPECT_EQ(LabelOf(Case("instance_norm", WithClamp<InstanceNormAttrs>(), vector)), "lowering_operands");
  EXPECT_EQ(LabelOf(Case("mvn", WithClamp<MvnAttrs>(), vector)), "lowering_operands");
  EXPECT_EQ(LabelOf(Case("mvn", WithClamp<MvnAttrs>(), three)), "lowering_operands");
  GroupNormAttrs attrs = WithClamp<GroupNormAttrs>();
  EXPECT_EQ(LabelOf(Case("group_norm", attrs, vector)), "");
  attrs.groups = 3;
  EXPECT_EQ(LabelOf(Case("group_norm", attrs, vector)), "lowering_operands");
}

}  // namespace
}  // namespace tally
