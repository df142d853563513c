#include <gtest/gtest.h>

#include "ops/gather/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

TEST(TakeLowering, EqualsTheOperator) {
  const TestOperand x = Values({2, 3}, {10, 11, 12, 20, 21, 22});
  const TestOperand indices = Constant({2, 3}, {INT64_MIN, -1, 0, 2, 3, INT64_MAX});
  for (const Ints& axis : {Ints{}, Ints{0}, Ints{1}, Ints{-1}}) {
    const Attributes attributes = Pack(TakeAttrs{axis});
    const auto defined = RunOp({.op = Opcode::kTake, .operands = {x, indices}, .attributes = attributes});
    const auto lowered = RunLowering({.name = "take", .operands = {x, indices}, .attributes = attributes});
    ASSERT_TRUE(defined.ok() && lowered.ok()) << lowered.status();
    EXPECT_EQ(lowered->values, defined->values);
    EXPECT_EQ(lowered->types, defined->types);
  }
}

TEST(OneHotLowering, SelectsWithTheBoundsOfItsValues) {
  const auto y = RunLowering({.name = "one_hot",
                              .operands = {Values({4}, {0, 2, -1, 3}), Values({1}, {5}), Values({}, {-5})},
                              .attributes = Pack(OneHotAttrs{.depth = 3})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[4,3] in [-5, 5]");
  EXPECT_EQ(y->values[0], (Ints{5, -5, -5, -5, -5, 5, -5, -5, -5, -5, -5, -5}));
}

TEST(DynamicSliceLowering, ClampsItsBegin) {
  const auto at = [](int64_t begin) {
    return RunLowering({.name = "dynamic_slice",
                        .operands = {Values({5}, {0, 1, 2, 3, 4}), Constant({}, {begin})},
                        .attributes = Pack(DynamicSliceAttrs{.size = 3})})
        ->values[0];
  };
  EXPECT_EQ(at(1), (Ints{1, 2, 3}));
  EXPECT_EQ(at(INT64_MIN), (Ints{0, 1, 2}));
  EXPECT_EQ(at(INT64_MAX), (Ints{2, 3, 4}));
}

TEST(NonzeroLowering, CountsWhatItFinds) {
  const auto y = RunLowering({.name = "nonzero",
                              .operands = {Values({2, 2}, {0, 7, -1, 0})},
                              .attributes = Pack(NonzeroAttrs{.bound = 3})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values, (std::vector<Ints>{{0, 1, 1, 0, -1, -1}, {2}}));
}

}  // namespace
}  // namespace tally
