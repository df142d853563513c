// Recursive length prefixes, the encoding of transactions (Ethereum's yellow paper, appendix B).
//
//   RlpList list;
//   list.AddNumber(nonce);
//   list.AddBytes(to);
//   list.Encode();
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tally::server {

class RlpList {
 public:
  void AddBytes(std::span<const uint8_t> bytes);
  // Without zeros before it.
  void AddNumber(uint64_t number);
  void AddNumber(std::span<const uint8_t> big_endian);
  void AddList(const RlpList& list);

  std::vector<uint8_t> Encode() const;

 private:
  std::vector<uint8_t> content_;
};

}  // namespace tally::server
