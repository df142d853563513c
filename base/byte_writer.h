// Appends little-endian integers and varints to a byte vector, in the one encoding that ByteReader accepts.
//
//   ByteWriter writer;
//   writer.WriteVarint(name.size());
//   writer.WriteBytes(name);
//   const std::vector<uint8_t> bytes = writer.Take();
//
// The encodings are described in base/byte_reader.h. Writing cannot fail.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tally {

class ByteWriter {
 public:
  void WriteByte(uint8_t value) { bytes_.push_back(value); }
  void WriteU32(uint32_t value);
  void WriteU64(uint64_t value);
  void WriteVarint(uint64_t value);
  void WriteSignedVarint(int64_t value);
  void WriteBytes(std::span<const uint8_t> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  // Appends zeros until size() is a multiple of `alignment` (> 0).
  void PadTo(uint64_t alignment);

  uint64_t size() const { return bytes_.size(); }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

  // The bytes written so far; the writer is empty afterwards.
  std::vector<uint8_t> Take() { return std::exchange(bytes_, {}); }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace tally
