#include "base/byte_reader.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "base/byte_writer.h"
#include "base/error.h"
#include "gtest/gtest.h"

namespace tally {
namespace {

using Bytes = std::vector<uint8_t>;

// Reads one varint from `bytes`; on failure the reader must not have moved.
std::string VarintError(const Bytes& bytes) {
  ByteReader reader(bytes);
  const auto value = reader.ReadVarint();
  EXPECT_FALSE(value.ok());
  EXPECT_EQ(reader.position(), 0);
  return ErrorLabel(value.status());
}

uint64_t VarintValue(const Bytes& bytes) {
  ByteReader reader(bytes);
  const auto value = reader.ReadVarint();
  EXPECT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(reader.remaining(), 0);
  return value.value_or(0xdead);
}

TEST(ByteReader, ReadsKnownVarints) {
  EXPECT_EQ(VarintValue({0x00}), 0);
  EXPECT_EQ(VarintValue({0x7f}), 127);
  EXPECT_EQ(VarintValue({0x80, 0x01}), 128);
  EXPECT_EQ(VarintValue({0xe5, 0x8e, 0x26}), 624485);  // the example of the DWARF standard
  EXPECT_EQ(VarintValue({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}), (uint64_t{1} << 63) - 1);
  EXPECT_EQ(VarintValue({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}), uint64_t{1} << 63);
  EXPECT_EQ(VarintValue({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}), ~uint64_t{0});
}

TEST(ByteReader, RefusesVarintThatIsNotMinimal) {
  EXPECT_EQ(VarintError({0x80, 0x00}), "varint_not_minimal");
  EXPECT_EQ(VarintError({0xff, 0x80, 0x00}), "varint_not_minimal");
  EXPECT_EQ(VarintError({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}), "varint_not_minimal");
}

TEST(ByteReader, RefusesVarintBeyond64Bits) {
  for (const uint8_t last : {0x02, 0x03, 0x7f, 0x80, 0x81, 0xff}) {
    Bytes bytes(11, 0xff);
    bytes[9] = last;
    EXPECT_EQ(VarintError(bytes), "varint_too_long");
  }
}

TEST(ByteReader, RefusesVarintCutShort) {
  EXPECT_EQ(VarintError({}), "unexpected_end");
  for (size_t size = 1; size <= 9; ++size) EXPECT_EQ(VarintError(Bytes(size, 0x80)), "unexpected_end");
}

// All 65,536 two-byte inputs: accepted if and only if the writer produces exactly the bytes consumed.
TEST(ByteReader, AcceptsExactlyWhatTheWriterWrites) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const Bytes bytes = {static_cast<uint8_t>(first), static_cast<uint8_t>(second)};
      ByteReader reader(bytes);
      const auto value = reader.ReadVarint();
      const bool canonical = first < 0x80 || (second < 0x80 && second != 0);
      ASSERT_EQ(value.ok(), canonical) << first << " " << second;
      if (!value.ok()) continue;
      ByteWriter writer;
      writer.WriteVarint(*value);
      ASSERT_EQ(writer.bytes(), Bytes(bytes.begin(), bytes.begin() + reader.position()));
    }
  }
}

TEST(ByteReader, ReadsKnownSignedVarints) {
  const struct {
    Bytes bytes;
    int64_t value;
  } cases[] = {
      {{0x00}, 0},
      {{0x01}, -1},
      {{0x02}, 1},
      {{0x7f}, -64},
      {{0x80, 0x01}, 64},
      {{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, std::numeric_limits<int64_t>::max()},
      {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, std::numeric_limits<int64_t>::min()},
  };
  for (const auto& [bytes, expected] : cases) {
    ByteReader reader(bytes);
    const auto value = reader.ReadSignedVarint();
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(*value, expected);
  }
}

TEST(ByteReader, FixedWidthIntegersAreLittleEndian) {
  const Bytes bytes = {0xfe, 0x01, 0x02, 0x03, 0x84, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88};
  ByteReader reader(bytes);
  EXPECT_EQ(reader.ReadByte().value(), 0xfe);
  EXPECT_EQ(reader.ReadU32().value(), 0x84030201u);
  EXPECT_EQ(reader.ReadU64().value(), 0x8807060504030201u);
  EXPECT_EQ(reader.remaining(), 0);
}

TEST(ByteReader, RefusesFixedWidthReadPastTheEnd) {
  const Bytes bytes(7);
  ByteReader reader(bytes);
  EXPECT_EQ(ErrorLabel(reader.ReadU64().status()), "unexpected_end");
  EXPECT_EQ(reader.position(), 0);
  ASSERT_TRUE(reader.ReadU32().ok());
  EXPECT_EQ(ErrorLabel(reader.ReadU32().status()), "unexpected_end");
  ASSERT_TRUE(reader.ReadBytes(3).ok());
  EXPECT_EQ(ErrorLabel(reader.ReadByte().status()), "unexpected_end");
}

TEST(ByteReader, ReadBytesIsAViewAndChecksAnyCount) {
  const Bytes bytes = {1, 2, 3};
  ByteReader reader(bytes);
  ASSERT_TRUE(reader.ReadByte().ok());
  for (const uint64_t count : {uint64_t{3}, uint64_t{1} << 32, ~uint64_t{0}}) {
    EXPECT_EQ(ErrorLabel(reader.ReadBytes(count).status()), "unexpected_end");
  }
  EXPECT_EQ(reader.position(), 1);
  const auto rest = reader.ReadBytes(2);
  ASSERT_TRUE(rest.ok());
  EXPECT_EQ(rest->data(), bytes.data() + 1);
  EXPECT_EQ(rest->size(), 2);
  EXPECT_TRUE(reader.ReadBytes(0).ok());
}

TEST(ByteReader, SkipsZeroPaddingToTheAlignment) {
  const Bytes bytes = {7, 0, 0, 0, 9};
  ByteReader reader(bytes);
  ASSERT_TRUE(reader.SkipPadding(4).ok());
  EXPECT_EQ(reader.position(), 0);  // already aligned
  ASSERT_TRUE(reader.ReadByte().ok());
  ASSERT_TRUE(reader.SkipPadding(4).ok());
  EXPECT_EQ(reader.position(), 4);
  EXPECT_EQ(reader.ReadByte().value(), 9);
}

TEST(ByteReader, RefusesBadPadding) {
  for (int spoiled = 1; spoiled < 4; ++spoiled) {
    Bytes bytes = {7, 0, 0, 0};
    bytes[spoiled] = 1;
    ByteReader reader(bytes);
    ASSERT_TRUE(reader.ReadByte().ok());
    const absl::Status status = reader.SkipPadding(4);
    EXPECT_EQ(ErrorLabel(status), "nonzero_padding");
    EXPECT_EQ(status.message(), "a padding byte is not zero at byte " + std::to_string(spoiled));
    EXPECT_EQ(reader.position(), 1);
  }
  const Bytes cut = {7, 0, 0};
  ByteReader reader(cut);
  ASSERT_TRUE(reader.ReadByte().ok());
  EXPECT_EQ(ErrorLabel(reader.SkipPadding(4)), "unexpected_end");
  EXPECT_EQ(ErrorLabel(reader.SkipPadding(~uint64_t{0})), "unexpected_end");
}

}  // namespace
}  // namespace tally
