#include "api/c/addresses.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally::api {
namespace {

constexpr size_t kOf32Bits = std::numeric_limits<uint32_t>::max();

ValidModule ModuleOf(const std::string& dims) {
  const std::string text =
      "tally 1\nprofile core\nparam %0 \"x\" [" + dims + "] in [-128, 127]\n%1 = relu %0\nresult %1 \"y\"\n";
  return Validate(Assemble(text).value()).value();
}

TEST(AddressesTest, SmallModulesRunOnMachinesOf32Bits) {
  const ValidModule module = ModuleOf("4096");
  EXPECT_TRUE(CheckValuesAddressable(module, kOf32Bits).ok());
  EXPECT_TRUE(CheckRunAddressable(module, 1, kOf32Bits).ok());
}

TEST(AddressesTest, ValuesThatFitMayBeTooMuchToRun) {
  const ValidModule module = ModuleOf("1024,1024,512");
  EXPECT_TRUE(CheckValuesAddressable(module, kOf32Bits).ok());
  EXPECT_EQ(ErrorLabel(CheckRunAddressable(module, 1, kOf32Bits)), "api_memory");
  EXPECT_TRUE(CheckRunAddressable(module, 1).ok());
}

// 2^33 + 64 bytes would be 64 in a size of 32 bits.
TEST(AddressesTest, ValuesBeyondAddressesAreRefused) {
  const ValidModule module = ModuleOf("134217729,64");
  EXPECT_EQ(ErrorLabel(CheckValuesAddressable(module, kOf32Bits)), "api_memory");
  EXPECT_TRUE(CheckValuesAddressable(module).ok());
}

}  // namespace
}  // namespace tally::api
