// Deterministic CBOR (RFC 8949 section 4.2.1), the part of it that commitments and proofs use.
//
//   CborWriter writer;
//   writer.WriteMap(2);
//   writer.WriteUnsigned(1);  // keys are unsigned and ascend: the caller writes them in order
//   writer.WriteInt(-5);
//   writer.WriteUnsigned(2);
//   writer.WriteBytes(root);
//   const std::vector<uint8_t> bytes = writer.Take();
//
// Every head is the shortest of its value, and every length is written before the content. No floats, tags or
// indefinite lengths exist here. The caller writes as many items as it announced.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/byte_writer.h"

namespace tally {

class CborWriter {
 public:
  void WriteUnsigned(uint64_t value) { WriteHead(0, value); }
  void WriteInt(int64_t value) {
    // A negative value n is written as -1 - n, which fits without its sign.
    value < 0 ? WriteHead(1, static_cast<uint64_t>(-1 - value)) : WriteHead(0, static_cast<uint64_t>(value));
  }
  void WriteBytes(std::span<const uint8_t> bytes);
  void WriteText(std::string_view text);  // valid UTF-8

  // Followed by `size` items.
  void WriteArray(uint64_t size) { WriteHead(4, size); }
  // Followed by `size` pairs of a key and a value; keys are unsigned, unique and ascend.
  void WriteMap(uint64_t size) { WriteHead(5, size); }

  std::vector<uint8_t> Take() { return writer_.Take(); }

 private:
  void WriteHead(uint8_t major_type, uint64_t argument);

  ByteWriter writer_;
};

}  // namespace tally
