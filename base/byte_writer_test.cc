#include "base/byte_writer.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace tally {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(ByteWriter, WritesKnownVarints) {
  ByteWriter writer;
  writer.WriteVarint(0);
  writer.WriteVarint(127);
  writer.WriteVarint(128);
  writer.WriteVarint(624485);
  EXPECT_EQ(writer.Take(), (Bytes{0x00, 0x7f, 0x80, 0x01, 0xe5, 0x8e, 0x26}));
  writer.WriteVarint(~uint64_t{0});
  EXPECT_EQ(writer.bytes(), (Bytes{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}));
}

TEST(ByteWriter, VarintLengthIsOneByteForEverySevenBits) {
  for (int bits = 1; bits <= 64; ++bits) {
    ByteWriter writer;
    writer.WriteVarint(uint64_t{1} << (bits - 1));
    EXPECT_EQ(writer.size(), (bits + 6) / 7) << bits;
  }
}

TEST(ByteWriter, FixedWidthIntegersAreLittleEndian) {
  ByteWriter writer;
  writer.WriteByte(0xfe);
  writer.WriteU32(0x84030201);
  writer.WriteU64(0x8807060504030201);
  EXPECT_EQ(writer.bytes(), (Bytes{0xfe, 1, 2, 3, 0x84, 1, 2, 3, 4, 5, 6, 7, 0x88}));
}

TEST(ByteWriter, PadsWithZerosToTheAlignment) {
  ByteWriter writer;
  writer.PadTo(8);
  EXPECT_EQ(writer.size(), 0);
  writer.WriteBytes(Bytes{5, 6, 7});
  writer.PadTo(4);
  EXPECT_EQ(writer.bytes(), (Bytes{5, 6, 7, 0}));
  writer.PadTo(4);
  EXPECT_EQ(writer.size(), 4);
  writer.PadTo(3);
  EXPECT_EQ(writer.bytes(), (Bytes{5, 6, 7, 0, 0, 0}));
}

TEST(ByteWriter, TakeEmptiesTheWriter) {
  ByteWriter writer;
  writer.WriteByte(1);
  EXPECT_EQ(writer.Take(), Bytes{1});
  EXPECT_EQ(writer.size(), 0);
}

}  // namespace
}  // namespace tally
