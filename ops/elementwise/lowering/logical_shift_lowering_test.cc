#include <gtest/gtest.h>

#include "ops/elementwise/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

LoweringCase Shift(std::string_view name, int64_t bits, TestOperand x, TestOperand amount) {
  return {.name = name, .operands = {std::move(x), std::move(amount)}, .attributes = Pack(WordAttrs{bits})};
}

// Every byte by every amount, against the machine's own shifts.
TEST(LogicalShiftLowering, ShiftsBytesAsTheMachineDoes) {
  std::vector<int64_t> bytes, left, right;
  for (int64_t x = -128; x <= 127; ++x) {
    bytes.push_back(x);
    for (int64_t s = 0; s < 8; ++s) {
      left.push_back(static_cast<int8_t>(static_cast<uint8_t>(x) << s));
      right.push_back(static_cast<int8_t>(static_cast<uint8_t>(x) >> s));
    }
  }
  const TestOperand x = Values({256, 1}, bytes), amounts = Values({8}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(RunLowering(Shift("logical_shift_left", 8, x, amounts))->values[0], left);
  EXPECT_EQ(RunLowering(Shift("logical_shift_right", 8, x, amounts))->values[0], right);
}

TEST(LogicalShiftLowering, ShiftsWordsOf32BitsByAnyAmount) {
  const TestOperand x = Values({1}, {0}, RangeOf(Storage::kI32)), amount = Values({1}, {0}, {0, 31});
  for (const std::string_view name : {"logical_shift_left", "logical_shift_right"}) {
    const auto y = RunLowering(Shift(name, 32, x, amount));
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y->types[0].interval, RangeOf(Storage::kI32)) << name;
  }
}

TEST(LogicalShiftLowering, NeedsNoSignWhereTheAmountIsPositive) {
  const auto y =
      RunLowering(Shift("logical_shift_right", 8, Values({1}, {-1}, {-128, 127}), Values({1}, {1})));
  EXPECT_EQ(y->instructions, (std::vector<std::string>{"bitwise_and", "shift_right"}));
  EXPECT_EQ(y->types[0].interval, (Interval{0, 127}));
}

TEST(LogicalShiftLowering, RefusesWhatIsNoWord) {
  const TestOperand one = Values({1}, {1}), wide = Values({1}, {128}), far = Values({1}, {8});
  for (const std::string_view name : {"logical_shift_left", "logical_shift_right"}) {
    EXPECT_EQ(LabelOf(Shift(name, 8, wide, one)), "lowering_operands");
    EXPECT_EQ(LabelOf(Shift(name, 8, one, far)), "lowering_operands");
    EXPECT_EQ(LabelOf(Shift(name, 48, one, one)), "attribute_range");
  }
}

}  // namespace
}  // namespace tally
