#include "quant/accuracy/headroom.h"

#include <gtest/gtest.h>

#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

// %2 sums four products of up to 2^14 each way; %3 keeps less than 8 bits of them, and %4 reads %3 and %0.
constexpr char kText[] = R"(tally 1
profile core
param %0 "x" [1,4] in [-128, 127]
%1 = constant i8 [1,4] {127, 127, 127, 127}
%2 = dense %0, %1 {}
%3 = clip %2 {a_min = -100, a_max = 100}
%4 = broadcast_add %3, %0
result %4 "y"
)";

TEST(Headroom, CountsWhatIsComputedSinceWhatIsHeld) {
  auto module = Assemble(kText);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto valid = Validate(*std::move(module));
  ASSERT_TRUE(valid.ok()) << valid.status();
  // An input needs 7 bits; 4 * 128 * 127 = 65,024 needs 16, and so does the clip, which is made of it. 228
  // needs 8.
  EXPECT_EQ(HeadroomBits(*valid, std::vector<tally::ValueId>{0, 2, 3, 4}),
            (std::vector<int>{56, 47, 56, 55}));
  EXPECT_EQ(HeadroomBits(*valid, std::vector<tally::ValueId>{0, 3, 4}), (std::vector<int>{56, 47, 55}));
  EXPECT_EQ(HeadroomBits(*valid, std::vector<tally::ValueId>{0, 4}), (std::vector<int>{56, 47}));
}

// -2^31, an end of the hull of -2^31 and 0, needs 31 bits as 2^31 - 1 does.
TEST(Headroom, CountsNoSign) {
  auto module = Assemble(
      "tally 1\nprofile core\nparam %0 \"x\" [1] in [-2147483648, 0]\n%1 = clip %0 {a_min = -2147483647, "
      "a_max = "
      "0}\nresult %1 \"y\"\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto valid = Validate(*std::move(module));
  ASSERT_TRUE(valid.ok()) << valid.status();
  EXPECT_EQ(HeadroomBits(*valid, std::vector<tally::ValueId>{0, 1}), (std::vector<int>{32, 32}));
}

}  // namespace
}  // namespace tally::quant
