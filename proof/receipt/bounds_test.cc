#include "proof/receipt/bounds.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "serializer/testing/golden_module.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

TEST(ModuleBounds, SaysWhatValidationProved) {
  const ValidModule module = *Validate(GoldenModule());  // x + [10, 300], x in [-5, 5]
  const ModuleBounds bounds = BoundsOf(module);
  EXPECT_EQ(bounds.gas, static_cast<uint64_t>(module.gas()));
  EXPECT_EQ(bounds.arena_bytes, static_cast<uint64_t>(module.arena_bytes()));
  ASSERT_EQ(bounds.functions.size(), 1u);
  ASSERT_EQ(bounds.functions[0].size(), 2u);
  EXPECT_EQ(bounds.functions[0][0].results, std::vector<TensorType>({{*Shape::Create({2}), {10, 300}}}));
  EXPECT_EQ(bounds.functions[0][1].results, std::vector<TensorType>({{*Shape::Create({2}), {5, 305}}}));
}

TEST(ModuleBounds, SaysWhatEachPartialSumMayReach) {
  const auto module = Assemble(
      "tally 1\nprofile core\nparam %0 \"x\" [2,3] in [-5, 9]\n"
      "%1 = sum %0 {axis = [1], keepdims = false, exclude = false}\nresult %1 \"y\"\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const ModuleBounds bounds = BoundsOf(*Validate(Module(*module)));
  EXPECT_EQ(bounds.functions[0][0].accumulator, Interval({-15, 27}));
  EXPECT_EQ(bounds.functions[0][0].results, std::vector<TensorType>({{*Shape::Create({2}), {-15, 27}}}));
}

TEST(ModuleBounds, ComesBackFromItsBytesAndEveryBitCounts) {
  const ModuleBounds bounds = BoundsOf(*Validate(GoldenModule()));
  const std::vector<uint8_t> bytes = EncodeBounds(bounds);
  EXPECT_EQ(*DecodeBounds(bytes), bounds);
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::vector<uint8_t> other = bytes;
    other[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    const auto decoded = DecodeBounds(other);
    if (decoded.ok()) {
      EXPECT_EQ(EncodeBounds(*decoded), other);
      EXPECT_NE(BoundsDigest(*decoded), BoundsDigest(bounds));
    } else {
      EXPECT_NE(ErrorLabel(decoded.status()), "");
    }
  }
}

}  // namespace
}  // namespace tally
