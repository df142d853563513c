// Laws that tie ByteWriter and ByteReader together.
#include <cstdint>
#include <vector>

#include "base/byte_reader.h"
#include "base/byte_writer.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace tally {
namespace {

using Bytes = std::vector<uint8_t>;

// Varints of every length are equally likely, which a uniform 64-bit value would not give.
rc::Gen<uint64_t> AnyMagnitude() {
  return rc::gen::map(rc::gen::pair(rc::gen::arbitrary<uint64_t>(), rc::gen::inRange(0, 64)),
                      [](const auto& pair) { return pair.first >> pair.second; });
}

RC_GTEST_PROP(BytesProperty, VarintsReadBackAsWritten, ()) {
  const uint64_t value = *AnyMagnitude();
  const auto as_signed = static_cast<int64_t>(*AnyMagnitude()) * (*rc::gen::arbitrary<bool>() ? 1 : -1);
  ByteWriter writer;
  writer.WriteVarint(value);
  writer.WriteSignedVarint(as_signed);
  ByteReader reader(writer.bytes());
  RC_ASSERT(reader.ReadVarint().value() == value);
  RC_ASSERT(reader.ReadSignedVarint().value() == as_signed);
  RC_ASSERT(reader.remaining() == 0u);
}

// Random bytes with many continuation bits and zeros, so that long, wasteful and endless varints all occur.
RC_GTEST_PROP(BytesProperty, EveryAcceptedVarintEncodesToTheSameBytes, ()) {
  const auto byte =
      rc::gen::oneOf(rc::gen::arbitrary<uint8_t>(), rc::gen::element<uint8_t>(0, 1, 0x80, 0xff));
  const Bytes bytes = *rc::gen::resize(14, rc::gen::container<Bytes>(byte));
  ByteReader reader(bytes);
  const auto value = reader.ReadVarint();
  RC_CLASSIFY(value.ok());
  if (!value.ok()) {
    RC_ASSERT(reader.position() == 0u);
    return;
  }
  ByteWriter writer;
  writer.WriteVarint(*value);
  RC_ASSERT(writer.bytes() == Bytes(bytes.begin(), bytes.begin() + reader.position()));

  ByteReader again(bytes);
  ByteWriter as_signed;
  as_signed.WriteSignedVarint(again.ReadSignedVarint().value());
  RC_ASSERT(as_signed.bytes() == writer.bytes());
}

RC_GTEST_PROP(BytesProperty, MixedRecordsReadBackAsWritten,
              (uint8_t byte, uint32_t u32, uint64_t u64, const Bytes& blob)) {
  const uint64_t alignment = *rc::gen::inRange(1, 65);
  ByteWriter writer;
  writer.WriteByte(byte);
  writer.WriteVarint(blob.size());
  writer.WriteBytes(blob);
  writer.PadTo(alignment);
  writer.WriteU32(u32);
  writer.WriteU64(u64);

  ByteReader reader(writer.bytes());
  RC_ASSERT(reader.ReadByte().value() == byte);
  const auto read_blob = reader.ReadBytes(reader.ReadVarint().value()).value();
  RC_ASSERT(Bytes(read_blob.begin(), read_blob.end()) == blob);
  RC_ASSERT(reader.SkipPadding(alignment).ok());
  RC_ASSERT(reader.position() % alignment == 0u);
  RC_ASSERT(reader.ReadU32().value() == u32);
  RC_ASSERT(reader.ReadU64().value() == u64);
  RC_ASSERT(reader.remaining() == 0u);
}

// Cutting a record anywhere is noticed by one of its reads, and never reads past the end (sanitizers watch).
RC_GTEST_PROP(BytesProperty, EveryProperPrefixIsRefused, (uint32_t u32, const Bytes& blob)) {
  ByteWriter writer;
  writer.WriteVarint(blob.size());
  writer.WriteBytes(blob);
  writer.WriteU32(u32);
  Bytes prefix = writer.Take();
  prefix.resize(*rc::gen::inRange<size_t>(0, prefix.size()));
  ByteReader reader(prefix);
  const auto size = reader.ReadVarint();
  const bool whole = size.ok() && reader.ReadBytes(*size).ok() && reader.ReadU32().ok();
  RC_ASSERT(!whole);
}

}  // namespace
}  // namespace tally
