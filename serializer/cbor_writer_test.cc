#include "serializer/cbor_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/hash/digest.h"

namespace tally {
namespace {

std::string HexOfInt(int64_t value) {
  CborWriter writer;
  writer.WriteInt(value);
  return ToHex(writer.Take());
}

std::string HexOfUnsigned(uint64_t value) {
  CborWriter writer;
  writer.WriteUnsigned(value);
  return ToHex(writer.Take());
}

// RFC 8949, appendix A.
TEST(CborWriter, IntegersAreThoseOfTheStandard) {
  EXPECT_EQ(HexOfInt(0), "00");
  EXPECT_EQ(HexOfInt(23), "17");
  EXPECT_EQ(HexOfInt(24), "1818");
  EXPECT_EQ(HexOfInt(100), "1864");
  EXPECT_EQ(HexOfInt(1000), "1903e8");
  EXPECT_EQ(HexOfInt(1000000), "1a000f4240");
  EXPECT_EQ(HexOfInt(1000000000000), "1b000000e8d4a51000");
  EXPECT_EQ(HexOfInt(-1), "20");
  EXPECT_EQ(HexOfInt(-10), "29");
  EXPECT_EQ(HexOfInt(-100), "3863");
  EXPECT_EQ(HexOfInt(-1000), "3903e7");
  EXPECT_EQ(HexOfUnsigned(std::numeric_limits<uint64_t>::max()), "1bffffffffffffffff");
}

TEST(CborWriter, HeadsAreTheShortest) {
  EXPECT_EQ(HexOfUnsigned(255), "18ff");
  EXPECT_EQ(HexOfUnsigned(256), "190100");
  EXPECT_EQ(HexOfUnsigned(65535), "19ffff");
  EXPECT_EQ(HexOfUnsigned(65536), "1a00010000");
  EXPECT_EQ(HexOfUnsigned(0xffffffff), "1affffffff");
  EXPECT_EQ(HexOfUnsigned(uint64_t{1} << 32), "1b0000000100000000");
  EXPECT_EQ(HexOfInt(std::numeric_limits<int64_t>::min()), "3b7fffffffffffffff");
}

TEST(CborWriter, ContainersAndStringsCarryTheirLengthInFront) {
  CborWriter writer;
  writer.WriteMap(2);
  writer.WriteUnsigned(1);
  writer.WriteArray(3);
  writer.WriteText("a");
  writer.WriteBytes(std::vector<uint8_t>{1, 2, 3, 4});
  writer.WriteArray(0);
  writer.WriteUnsigned(2);
  writer.WriteText("\xc3\xbc");
  EXPECT_EQ(ToHex(writer.Take()),
            "a20183616144010203048002"
            "62c3bc");
}

}  // namespace
}  // namespace tally
