#include "serializer/cbor_reader.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/error.h"
#include "serializer/cbor_writer.h"
#include "serializer/testing/mutate.h"

namespace tally {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(CborReader, ReadsWhatTheWriterWrites) {
  const std::vector<int64_t> values = {0,   23,    24,      255,         256,
                                       -1,  65536, -65537,  1LL << 32,   std::numeric_limits<int64_t>::max(),
                                       -24, -25,   -(257L), -4294967297, std::numeric_limits<int64_t>::min()};
  CborWriter writer;
  writer.WriteMap(2);
  writer.WriteUnsigned(1);
  writer.WriteArray(values.size());
  for (const int64_t value : values) writer.WriteInt(value);
  writer.WriteUnsigned(300);
  writer.WriteText("\xc3\xa9t\xc3\xa9");
  const Bytes bytes = writer.Take();

  CborReader reader(bytes);
  EXPECT_EQ(reader.ReadMap().value(), 2u);
  EXPECT_TRUE(reader.ExpectKey(1).ok());
  EXPECT_EQ(reader.ReadArray().value(), values.size());
  for (const int64_t value : values) EXPECT_EQ(reader.ReadInt().value(), value);
  EXPECT_TRUE(reader.ExpectKey(300).ok());
  EXPECT_EQ(reader.ReadText().value(), "\xc3\xa9t\xc3\xa9");
  EXPECT_TRUE(reader.ExpectEnd().ok());
}

std::string LabelOf(const Bytes& bytes, auto&& read) {
  CborReader reader(bytes);
  return ErrorLabel(read(reader));
}

TEST(CborReader, RefusesEveryHeadThatIsNotTheShortest) {
  const auto read = [](CborReader& reader) { return reader.ReadUnsigned().status(); };
  EXPECT_EQ(LabelOf({0x18, 23}, read), "cbor_not_shortest");
  EXPECT_EQ(LabelOf({0x18, 24}, read), "");
  EXPECT_EQ(LabelOf({0x19, 0, 0xff}, read), "cbor_not_shortest");
  EXPECT_EQ(LabelOf({0x19, 1, 0}, read), "");
  EXPECT_EQ(LabelOf({0x1a, 0, 0, 0xff, 0xff}, read), "cbor_not_shortest");
  EXPECT_EQ(LabelOf({0x1a, 0, 1, 0, 0}, read), "");
  EXPECT_EQ(LabelOf({0x1b, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, read), "cbor_not_shortest");
  EXPECT_EQ(LabelOf({0x1b, 0, 0, 0, 1, 0, 0, 0, 0}, read), "");
}

TEST(CborReader, RefusesWhatDeterministicCborLacks) {
  const auto read = [](CborReader& reader) { return reader.ReadArray().status(); };
  for (const uint8_t head : {0x9c, 0x9d, 0x9e, 0x9f}) EXPECT_EQ(LabelOf({head, 0xff}, read), "cbor_head");
  EXPECT_EQ(LabelOf({0xc1}, read), "cbor_type");              // a tag
  EXPECT_EQ(LabelOf({0xf9, 0x3c, 0x00}, read), "cbor_type");  // a float of 16 bits
  EXPECT_EQ(LabelOf({0xf6}, read), "cbor_type");              // null
  EXPECT_EQ(LabelOf({0x9b, 0, 0, 1, 0, 0, 0, 0, 0}, read), "count_limit");
  EXPECT_EQ(LabelOf({0x82, 0}, read), "count_limit");
  EXPECT_EQ(LabelOf({}, read), "unexpected_end");
}

TEST(CborReader, RefusesIntegersBeyond64BitsWithSign) {
  const auto read = [](CborReader& reader) { return reader.ReadInt().status(); };
  EXPECT_EQ(LabelOf({0x1b, 0x80, 0, 0, 0, 0, 0, 0, 0}, read), "cbor_type");
  EXPECT_EQ(LabelOf({0x3b, 0x80, 0, 0, 0, 0, 0, 0, 0}, read), "cbor_type");
  EXPECT_EQ(LabelOf({0x3b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, read), "");
}

TEST(CborReader, LengthsOfBytesAreCheckedBeforeTheyAreRead) {
  const auto bytes = [](CborReader& reader) { return reader.ReadBytes().status(); };
  EXPECT_EQ(LabelOf({0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, bytes), "unexpected_end");
  const auto digest = [](CborReader& reader) { return reader.ReadDigest().status(); };
  EXPECT_EQ(LabelOf({0x41, 0}, digest), "cbor_type");
}

// One item of any kind, written anew.
bool Copy(CborReader& reader, int kind, CborWriter& writer) {
  switch (kind) {
    case 0:
      if (const auto v = reader.ReadInt(); v.ok()) return writer.WriteInt(*v), true;
      return false;
    case 1:
      if (const auto v = reader.ReadBytes(); v.ok()) return writer.WriteBytes(*v), true;
      return false;
    case 2:
      if (const auto v = reader.ReadText(); v.ok()) return writer.WriteText(*v), true;
      return false;
    default:
      if (const auto v = reader.ReadArray(); v.ok()) return writer.WriteArray(*v), true;
      return false;
  }
}

TEST(CborReader, WhatItAcceptsTheWriterWritesBack) {
  int accepted = 0;
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    RandomDraws draws(seed);
    CborWriter original;
    std::vector<int> kinds;
    for (uint64_t n = 1 + draws.Below(6); n > 0; --n) {
      kinds.push_back(static_cast<int>(draws.Below(4)));
      switch (kinds.back()) {
        case 0: original.WriteInt(draws.AnyInt()); break;
        case 1: original.WriteBytes(Bytes(draws.Below(40), 7)); break;
        case 2: original.WriteText(std::string(draws.Below(40), 'a')); break;
        default: original.WriteArray(draws.Below(3)); break;
      }
    }
    Bytes bytes = original.Take();
    if (draws.OneIn(2)) Mutate(draws, bytes);
    CborReader reader(bytes);
    CborWriter copy;
    bool whole = true;
    for (const int kind : kinds) whole = whole && Copy(reader, kind, copy);
    if (!whole || !reader.ExpectEnd().ok()) continue;
    ++accepted;
    ASSERT_EQ(copy.Take(), bytes) << seed;
  }
  EXPECT_GT(accepted, 5'000);
}

}  // namespace
}  // namespace tally
