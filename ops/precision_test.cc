#include "ops/precision.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

// The rule's precision for operands of the given ones.
int Apply(PrecisionRule rule, const std::vector<int>& operands) {
  const InferContext infer = {.profile = Profile::kCvm, .precisions = operands};
  return rule({&infer, {}})[0];
}

TEST(Precision, OfAMagnitudeIsTheSmallestThatHoldsIt) {
  EXPECT_EQ(PrecisionOf(0), 1);
  EXPECT_EQ(PrecisionOf(1), 2);
  EXPECT_EQ(PrecisionOf(127), 8);
  EXPECT_EQ(PrecisionOf(128), 9);
  EXPECT_EQ(PrecisionOf((uint64_t{1} << 31) - 1), 32);
  EXPECT_EQ(PrecisionOf(uint64_t{1} << 31), 33);
  EXPECT_EQ(PrecisionOf(uint64_t{1} << 63), 65);
}

TEST(Precision, SharedRules) {
  EXPECT_EQ(Apply(PrecisionOfFirst, {3, 7, 5}), 3);
  EXPECT_EQ(Apply(PrecisionOfWidest, {3, 7, 5}), 7);
  EXPECT_EQ(Apply(PrecisionOfWidest, {4}), 4);
  EXPECT_EQ(Apply(PrecisionOfSum, {3, 7}), 8);
  EXPECT_EQ(Apply(PrecisionOfSum, {32, 1}), 33);
}

}  // namespace
}  // namespace tally
