#include "base/hash/digest.h"

#include <string>

#include "gtest/gtest.h"

namespace tally {
namespace {

TEST(Digest, HexIsLowercaseFirstByteFirst) {
  EXPECT_EQ(ToHex({}), "");
  const uint8_t bytes[] = {0x01, 0xab, 0xf0};
  EXPECT_EQ(ToHex(bytes), "01abf0");
}

TEST(Digest, ParseIsTheInverseOfToHex) {
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<uint8_t>(37 * i + 9);
  EXPECT_EQ(ParseDigest(ToHex(digest)), digest);
}

TEST(Digest, ParseRefusesOtherSpellings) {
  const std::string good(64, 'a');
  ASSERT_TRUE(ParseDigest(good).has_value());
  EXPECT_FALSE(ParseDigest("").has_value());
  EXPECT_FALSE(ParseDigest(good.substr(1)).has_value());
  EXPECT_FALSE(ParseDigest(good + "a").has_value());
  for (const char wrong : {'A', 'g', ' ', '/', ':', '\0'}) {
    for (const size_t position : {0, 1, 63}) {
      std::string bad = good;
      bad[position] = wrong;
      EXPECT_FALSE(ParseDigest(bad).has_value()) << bad;
    }
  }
}

}  // namespace
}  // namespace tally
