#include <gtest/gtest.h>

#include "ops/table/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

using Strings = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

LoweringCase Unary(TestOperand x, const UnaryAttrs& attrs) {
  return {.name = "unary", .operands = {std::move(x)}, .attributes = Pack(attrs)};
}

TEST(UnaryLowering, IsATableOfTheValuesThatTheOperandHas) {
  const auto y = RunLowering(Unary(Values({3}, {-16, 0, 5}, {-16, 15}), {.function = RecipeFunction::kSigmoid,
                                                                         .in = {1, 2},
                                                                         .out = {1, 8},
                                                                         .zero_out = -128,
                                                                         .lo = -128,
                                                                         .hi = 127}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->instructions, Strings{"table"});
  EXPECT_EQ(y->values[0], (Numbers{-123, 0, 71}));  // 256 sigmoid(-4) = 4.6, 128, 256 sigmoid(1.25) = 199.05
  EXPECT_EQ(y->types[0].interval, (Interval{-123, 122}));  // 256 sigmoid(3.75) = 250.1
}

TEST(UnaryLowering, RefusesMoreValuesThanATableHas) {
  EXPECT_EQ(LabelOf(Unary(Values({1}, {0}, {0, 65535}), {.hi = 9})), "");
  EXPECT_EQ(LabelOf(Unary(Values({1}, {0}, {0, 65536}), {.hi = 9})), "lowering_operands");
  EXPECT_EQ(LabelOf(Unary(Values({1}, {0}), {.alpha = {1, 1}})), "recipe_fields");
}

TEST(Table2Lowering, ReadsTheEntryOfBothValues) {
  const LoweringCase test = {
      .name = "table2",
      .operands = {Values({2, 1}, {-9, 4}), Values({3}, {-1, 0, 7}), Constant({6}, {10, 11, 12, 20, 21, 22})},
      .attributes = Pack(Table2Attrs{.lo_a = 3, .lo_b = -1, .n_b = 3})};
  const auto y = RunLowering(test);
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->instructions, (Strings{"clip", "clip", "broadcast_mul", "broadcast_add", "table"}));
  EXPECT_EQ(y->values[0], (Numbers{10, 11, 12, 20, 21, 22}));
}

TEST(Table2Lowering, RefusesATableOfAnotherSize) {
  LoweringCase test = {.name = "table2",
                       .operands = {Values({1}, {0}), Values({1}, {0}), Constant({5}, {1, 2, 3, 4, 5})},
                       .attributes = Pack(Table2Attrs{.n_b = 2})};
  EXPECT_EQ(LabelOf(test), "lowering_operands");
  test.operands[2] = Values({4}, {1, 2, 3, 4});
  EXPECT_EQ(LabelOf(test), "lowering_operands");
}

TestOperand Points(int64_t slope) {
  Numbers points;
  for (int64_t i = 0; i < 513; ++i) points.push_back((i - 256) * slope + i % 3);
  return Constant({513}, points);
}

TEST(TableInterpolatedLowering, IsTosasTableAtEveryCode) {
  Numbers codes, expected;
  const TestOperand table = Points(100);
  for (int64_t x = -32768; x < 32768; x += 17) {
    codes.push_back(x);
    // As TOSA writes it: arithmetic shift of the signed value, fraction of 7 bits.
    const int64_t index = (x >> 7) + 256, fraction = x & 127;
    const int64_t base = table.tensor.view().at(index), next = table.tensor.view().at(index + 1);
    expected.push_back((base << 7) + (next - base) * fraction);
  }
  const auto y = RunLowering({.name = "table_interpolated",
                              .operands = {Values({static_cast<int64_t>(codes.size())}, codes), table}});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], expected);
  EXPECT_EQ(y->instructions, Strings{"table"});
}

TEST(TableInterpolatedLowering, RefusesWhatDoesNotFit16Bits) {
  const auto label = [](TestOperand table) {
    return LabelOf(
        LoweringCase{.name = "table_interpolated", .operands = {Values({1}, {0}), std::move(table)}});
  };
  EXPECT_EQ(label(Points(127)), "");
  EXPECT_EQ(label(Points(129)), "lowering_operands");
  EXPECT_EQ(label(Constant({3}, {1, 2, 3})), "lowering_operands");
  Numbers jump(513, -20000);
  jump[300] = 20000;
  EXPECT_EQ(label(Constant({513}, jump)), "lowering_operands");
}

TEST(TablePerChannelLowering, EachChannelHasItsTable) {
  const LoweringCase test = {
      .name = "table_per_channel",
      .operands = {Values({1, 2, 3}, {-9, 6, 99, -9, 6, 99}), Constant({2, 3}, {1, 2, 3, 40, 50, 60})},
      .attributes = Pack(TablePerChannelAttrs{.axis = 1, .offset = 5})};
  const auto y = RunLowering(test);
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Numbers{1, 2, 3, 40, 50, 60}));
  EXPECT_EQ(y->instructions, (Strings{"clip", "broadcast_add", "table"}));
}

TEST(TablePerChannelLowering, RefusesTablesForOtherChannels) {
  LoweringCase test = {.name = "table_per_channel",
                       .operands = {Values({2}, {0, 0}), Constant({3, 1}, {1, 2, 3})},
                       .attributes = Pack(TablePerChannelAttrs{})};
  EXPECT_EQ(LabelOf(test), "lowering_operands");
  test.attributes = Pack(TablePerChannelAttrs{.axis = 1});
  EXPECT_EQ(LabelOf(test), "lowering_operands");
}

}  // namespace
}  // namespace tally
