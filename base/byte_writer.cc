#include "base/byte_writer.h"

namespace tally {
namespace {

template <typename T>
void AppendFixed(T value, std::vector<uint8_t>& bytes) {
  for (size_t i = 0; i < sizeof(T); ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

}  // namespace

void ByteWriter::WriteU32(uint32_t value) { AppendFixed(value, bytes_); }
void ByteWriter::WriteU64(uint64_t value) { AppendFixed(value, bytes_); }

void ByteWriter::WriteVarint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<uint8_t>(value | 0x80));
  bytes_.push_back(static_cast<uint8_t>(value));
}

void ByteWriter::WriteSignedVarint(int64_t value) {
  // The sign spreads to all ones for a negative value, so small magnitudes stay small.
  WriteVarint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

void ByteWriter::PadTo(uint64_t alignment) {
  const uint64_t excess = bytes_.size() % alignment;
  if (excess != 0) bytes_.resize(bytes_.size() + (alignment - excess), 0);
}

}  // namespace tally
