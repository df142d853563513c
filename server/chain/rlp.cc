#include "server/chain/rlp.h"

#include <algorithm>
#include <array>

namespace tally::server {
namespace {

std::array<uint8_t, 8> BigEndian(uint64_t number) {
  std::array<uint8_t, 8> bytes;
  for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(number >> (56 - 8 * i));
  return bytes;
}

// 0x80 before a string, 0xc0 before a list; 55 bytes at most have their size in the same byte.
void WriteHead(std::vector<uint8_t>& out, uint8_t kind, size_t size) {
  if (size <= 55) return out.push_back(static_cast<uint8_t>(kind + size));
  const auto bytes = BigEndian(size);
  const auto first = std::ranges::find_if(bytes, [](uint8_t b) { return b != 0; });
  out.push_back(static_cast<uint8_t>(kind + 55 + (bytes.end() - first)));
  out.insert(out.end(), first, bytes.end());
}

}  // namespace

void RlpList::AddBytes(std::span<const uint8_t> bytes) {
  if (bytes.size() != 1 || bytes[0] >= 0x80) WriteHead(content_, 0x80, bytes.size());
  content_.insert(content_.end(), bytes.begin(), bytes.end());
}

void RlpList::AddNumber(std::span<const uint8_t> big_endian) {
  const auto first = std::ranges::find_if(big_endian, [](uint8_t b) { return b != 0; });
  AddBytes(std::span(first, big_endian.end()));
}

void RlpList::AddNumber(uint64_t number) { AddNumber(BigEndian(number)); }

void RlpList::AddList(const RlpList& list) {
  const std::vector<uint8_t> encoded = list.Encode();
  content_.insert(content_.end(), encoded.begin(), encoded.end());
}

std::vector<uint8_t> RlpList::Encode() const {
  std::vector<uint8_t> out;
  WriteHead(out, 0xc0, content_.size());
  out.insert(out.end(), content_.begin(), content_.end());
  return out;
}

}  // namespace tally::server
