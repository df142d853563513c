#include "base/byte_reader.h"

#include <string>

#include "base/error.h"
#include "base/labels.h"
#include "base/status_macros.h"

namespace tally {
namespace {

constexpr int kBitsPerByte = 7;       // a varint's; the eighth bit says that more bytes follow
constexpr int kLastVarintShift = 63;  // the tenth byte holds bit 63 alone

std::string At(uint64_t position) { return " at byte " + std::to_string(position); }

absl::Status UnexpectedEnd(uint64_t position, uint64_t wanted, uint64_t remaining) {
  return MakeError(label::unexpected_end, std::to_string(wanted) + " bytes wanted, " +
                                              std::to_string(remaining) + " left" + At(position));
}

}  // namespace

absl::StatusOr<std::span<const uint8_t>> ByteReader::ReadBytes(uint64_t n) {
  if (n > remaining()) return UnexpectedEnd(position_, n, remaining());
  const std::span<const uint8_t> result = bytes_.subspan(position_, n);
  position_ += n;
  return result;
}

template <typename T>
absl::StatusOr<T> ByteReader::ReadFixed() {
  ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes, ReadBytes(sizeof(T)));
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(bytes[i]) << (8 * i);
  return value;
}

absl::StatusOr<uint8_t> ByteReader::ReadByte() {
  if (remaining() == 0) return UnexpectedEnd(position_, 1, 0);
  return bytes_[position_++];
}

absl::StatusOr<uint32_t> ByteReader::ReadU32() { return ReadFixed<uint32_t>(); }
absl::StatusOr<uint64_t> ByteReader::ReadU64() { return ReadFixed<uint64_t>(); }

absl::StatusOr<uint64_t> ByteReader::ReadVarint() {
  uint64_t value = 0;
  uint64_t next = position_;
  for (int shift = 0;; shift += kBitsPerByte) {
    if (next == bytes_.size()) return UnexpectedEnd(position_, next - position_ + 1, remaining());
    const uint8_t byte = bytes_[next++];
    // Covers a continuation bit in the tenth byte too, so the loop never reads an eleventh.
    if (shift == kLastVarintShift && byte > 1) {
      return MakeError(label::varint_too_long, "a varint exceeds 64 bits" + At(position_));
    }
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte & 0x80) continue;
    // A zero last byte adds nothing: the encoding without it is shorter.
    if (byte == 0 && shift != 0) {
      return MakeError(label::varint_not_minimal, "a varint has needless bytes" + At(position_));
    }
    position_ = next;
    return value;
  }
}

absl::StatusOr<int64_t> ByteReader::ReadSignedVarint() {
  ASSIGN_OR_RETURN(const uint64_t zigzag, ReadVarint());
  return static_cast<int64_t>(zigzag >> 1) ^ -static_cast<int64_t>(zigzag & 1);
}

absl::Status ByteReader::SkipPadding(uint64_t alignment) {
  const uint64_t excess = position_ % alignment;
  if (excess == 0) return absl::OkStatus();
  const uint64_t start = position_;
  ASSIGN_OR_RETURN(const std::span<const uint8_t> padding, ReadBytes(alignment - excess));
  for (size_t i = 0; i < padding.size(); ++i) {
    if (padding[i] == 0) continue;
    position_ = start;
    return MakeError(label::nonzero_padding, "a padding byte is not zero" + At(start + i));
  }
  return absl::OkStatus();
}

}  // namespace tally
