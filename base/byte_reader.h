// A cursor over untrusted bytes: every read is checked against the end before it happens.
//
//   ByteReader reader(bytes);
//   ASSIGN_OR_RETURN(const uint64_t count, reader.ReadVarint());
//   ASSIGN_OR_RETURN(const std::span<const uint8_t> name, reader.ReadBytes(count));
//   if (reader.remaining() != 0) return MakeError(label::trailing_bytes, ...);
//
// Fixed-width integers are little-endian. A varint is unsigned LEB128 in the fewest possible bytes (1 to 10),
// so each integer has exactly one encoding: what the reader accepts, ByteWriter writes back byte for byte.
// A signed varint is the zigzag image (0, -1, 1, -2, ... -> 0, 1, 2, 3, ...) as a varint.
//
// Errors: unexpected_end, varint_not_minimal, varint_too_long (the value exceeds 64 bits), nonzero_padding.
// A read that fails leaves the position where it was.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tally {

class ByteReader {
 public:
  // `bytes` must outlive the reader and the spans it returns.
  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  absl::StatusOr<uint8_t> ReadByte();
  absl::StatusOr<uint32_t> ReadU32();
  absl::StatusOr<uint64_t> ReadU64();
  absl::StatusOr<uint64_t> ReadVarint();
  absl::StatusOr<int64_t> ReadSignedVarint();

  // The next n bytes, not copied. Any n is safe: a count from the input needs no check of its own.
  absl::StatusOr<std::span<const uint8_t>> ReadBytes(uint64_t n);

  // Moves to the next multiple of `alignment` (> 0), counted from the first byte of the input; the bytes
  // passed over must be zero, because padding that may hold anything would give one value many encodings.
  absl::Status SkipPadding(uint64_t alignment);

  uint64_t position() const { return position_; }
  uint64_t remaining() const { return bytes_.size() - position_; }

 private:
  template <typename T>
  absl::StatusOr<T> ReadFixed();

  std::span<const uint8_t> bytes_;
  uint64_t position_ = 0;
};

}  // namespace tally
