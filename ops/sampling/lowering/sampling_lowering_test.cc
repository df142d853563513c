#include <gtest/gtest.h>

#include <algorithm>

#include "ops/sampling/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

TEST(RandomNormal, IsATableOfAUniformDraw) {
  const auto y = RunLowering({.name = "random_normal",
                              .operands = {Constant({4}, {-13, -3, 3, 13})},
                              .attributes = Pack(RandomNormalAttrs{.shape = {1000}, .seed = 1})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->instructions, (std::vector<std::string>{"random_uniform", "table"}));
  EXPECT_EQ(y->types[0].ToString(), "[1000] in [-13, 13]");
  for (const int64_t entry : {-13, -3, 3, 13}) {
    const auto count = std::count(y->values[0].begin(), y->values[0].end(), entry);
    EXPECT_GT(count, 200) << entry;
    EXPECT_LT(count, 300) << entry;
  }
}

TEST(RandomBernoulli, DrawsOnesInProportion) {
  const auto draw = [](int64_t threshold) {
    return *RunLowering({.name = "random_bernoulli",
                         .attributes = Pack(RandomBernoulliAttrs{.shape = {1000}, .threshold = threshold})});
  };
  const LoweringOutcome quarter = draw(int64_t{1} << 30);
  EXPECT_EQ(quarter.types[0].ToString(), "[1000] in [0, 1]");
  const auto ones = std::count(quarter.values[0].begin(), quarter.values[0].end(), 1);
  EXPECT_GT(ones, 200);
  EXPECT_LT(ones, 300);
  // Certain results are proven.
  EXPECT_EQ(draw(0).types[0].ToString(), "[1000] in [0, 0]");
  EXPECT_EQ(draw(int64_t{1} << 32).types[0].ToString(), "[1000] in [1, 1]");
}

}  // namespace
}  // namespace tally
