#include "serializer/cbor_writer.h"

namespace tally {

void CborWriter::WriteBytes(std::span<const uint8_t> bytes) {
  WriteHead(2, bytes.size());
  writer_.WriteBytes(bytes);
}

void CborWriter::WriteText(std::string_view text) {
  WriteHead(3, text.size());
  writer_.WriteBytes({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

void CborWriter::WriteHead(uint8_t major_type, uint64_t argument) {
  // The low five bits hold an argument below 24, or say that 1, 2, 4 or 8 bytes of it follow.
  constexpr uint64_t kFirstInOneByte = 24;
  const auto write = [&](uint8_t low_bits) {
    writer_.WriteByte(static_cast<uint8_t>(major_type << 5 | low_bits));
  };
  if (argument < kFirstInOneByte) return write(static_cast<uint8_t>(argument));
  const int log2_bytes = argument <= 0xff ? 0 : argument <= 0xffff ? 1 : argument <= 0xffffffff ? 2 : 3;
  write(static_cast<uint8_t>(kFirstInOneByte + static_cast<uint64_t>(log2_bytes)));
  for (int byte = (1 << log2_bytes) - 1; byte >= 0; --byte) {
    writer_.WriteByte(static_cast<uint8_t>(argument >> (8 * byte)));
  }
}

}  // namespace tally
