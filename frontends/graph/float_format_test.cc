#include "frontends/graph/float_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

namespace tally::frontend {
namespace {

TEST(FloatFormat, EncodingIsTheInverseOfDecoding) {
  for (const FloatFormat format : {kHalf, kBrain}) {
    for (uint64_t bits = 0; bits < 65536; ++bits) {
      const double value = DecodeFloat(bits, format);
      if (!std::isfinite(value)) continue;
      ASSERT_EQ(EncodeFloat(value, format), bits);
    }
  }
}

// All that are 16 bits long.
TEST(FloatFormat, DecodesManyAsOne) {
  for (const FloatFormat format : {kHalf, kBrain}) {
    std::vector<uint8_t> bytes;
    for (int bits = 0; bits < 1 << 16; ++bits) {
      bytes.push_back(static_cast<uint8_t>(bits));
      bytes.push_back(static_cast<uint8_t>(bits >> 8));
    }
    const std::vector<float> floats = DecodeFloats(bytes, format);
    ASSERT_EQ(floats.size(), 1u << 16);
    for (uint64_t bits = 0; bits < 1 << 16; ++bits) {
      const auto one = static_cast<float>(DecodeFloat(bits, format));
      if (std::isnan(one)) {
        ASSERT_TRUE(std::isnan(floats[bits])) << bits;
      } else {
        ASSERT_EQ(std::bit_cast<uint32_t>(floats[bits]), std::bit_cast<uint32_t>(one)) << bits;
      }
    }
  }
  const std::vector<uint8_t> third = {0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xd5, 0x3f};
  EXPECT_EQ(DecodeFloats(third, kDouble), std::vector<float>{1.0f / 3});
  EXPECT_EQ(DecodeFloats({{0xab, 0xaa, 0xaa, 0x3e}}, kSingle), std::vector<float>{1.0f / 3});
}

TEST(FloatFormat, EncodesAsTheHardwareDoes) {
  for (const double value : {0.0, -0.0, 1.0, -0.1, 1.0 / 3, 16777217.0, 16777219.0, 0x1.fffffefp+60, 1e38,
                             0x1p-126, 0x1.8p-149, 0x0.8p-149, 0x1.0p-150, 5e-40, 1e-60}) {
    EXPECT_EQ(EncodeFloat(value, kSingle), std::bit_cast<uint32_t>(static_cast<float>(value))) << value;
    EXPECT_EQ(EncodeFloat(value, kDouble), std::bit_cast<uint64_t>(value)) << value;
  }
}

TEST(FloatFormat, RoundsToEvenAndToInfinity) {
  EXPECT_EQ(EncodeFloat(2049, kHalf), EncodeFloat(2048, kHalf));
  EXPECT_EQ(EncodeFloat(2051, kHalf), EncodeFloat(2052, kHalf));
  EXPECT_EQ(EncodeFloat(65519, kHalf), 0x7bffu);
  EXPECT_EQ(EncodeFloat(-65520, kHalf), 0xfc00u);
  EXPECT_EQ(EncodeFloat(257, kBrain), EncodeFloat(256, kBrain));
  EXPECT_EQ(EncodeFloat(259, kBrain), EncodeFloat(260, kBrain));
  EXPECT_EQ(EncodeFloat(1.0, kBrain), 0x3f80u);
}

}  // namespace
}  // namespace tally::frontend
