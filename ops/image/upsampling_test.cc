#include <gtest/gtest.h>

#include "ops/image/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase UpsamplingCase(TestOperand x, int64_t scale) {
  return {.op = Opcode::kUpsampling, .operands = {std::move(x)}, .attributes = Pack(UpsamplingAttrs{scale})};
}

TEST(Upsampling, CopiesEachPixelIntoASquare) {
  const auto y = RunOp(UpsamplingCase(Values({1, 2, 1, 2}, {1, 2, 3, 4}), 2));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[1,2,2,4] in [1, 4]");
  EXPECT_EQ(y->values[0], (Ints{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}));
  EXPECT_EQ(y->gas, 76 * 16);
}

TEST(Upsampling, ByOneChangesNothing) {
  EXPECT_EQ(RunOp(UpsamplingCase(Values({2, 1, 1, 2}, {1, 2, 3, 4}), 1))->values[0], (Ints{1, 2, 3, 4}));
}

TEST(Upsampling, C1_RefusesOtherRanks) {
  EXPECT_EQ(LabelOf(UpsamplingCase(Values({2, 1, 2}, {1, 2, 3, 4}), 2)), "upsampling_c1");
  EXPECT_EQ(LabelOf(UpsamplingCase(Values({2, 1, 2, 1, 1}, {1, 2, 3, 4}), 2)), "upsampling_c1");
  EXPECT_EQ(LabelOf(UpsamplingCase(Values({}, {1}), 2)), "upsampling_c1");
}

TEST(Upsampling, RefusesScalesOutsideTheRange) {
  EXPECT_EQ(LabelOf(UpsamplingCase(Values({1, 1, 1, 1}, {1}), 0)), "attribute_range");
  EXPECT_EQ(LabelOf(UpsamplingCase(Values({1, 1, 1, 1}, {1}), 4097)), "attribute_range");
}

TEST(Upsampling, RefusesResultsOutsideTheLimits) {
  EXPECT_EQ(LabelOf(UpsamplingCase(Values({4097, 1, 1, 1}, Ints(4097, 0)), 4096)), "shape_elements");
}

}  // namespace
}  // namespace tally
