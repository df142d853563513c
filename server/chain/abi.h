// Calls of contracts, and what they return: words of 32 bytes, and byte strings.
//
//   AbiCall call("ask(uint256,bytes,bytes)");
//   call.Add(dispute).Add(position).Add(query).Encode();
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash/digest.h"
#include "server/chain/account.h"

namespace tally::server {

// A number of 256 bits, or a hash, with its highest byte first.
using Word = Digest;
Word WordOf(uint64_t number);
Word WordOf(const Address& address);

class AbiCall {
 public:
  explicit AbiCall(std::string_view signature);

  AbiCall& Add(const Word& word);
  AbiCall& Add(uint64_t number) { return Add(WordOf(number)); }
  AbiCall& Add(std::span<const uint8_t> bytes);
  AbiCall& Add(std::span<const Address> addresses);
  std::vector<uint8_t> Encode() const;

 private:
  // Where its place has the word itself, or the offset of what is in the tail.
  struct Argument {
    bool in_tail;
    std::vector<uint8_t> bytes;
  };

  Digest selector_;  // its first 4 bytes
  std::vector<Argument> arguments_;
};

// The topic of an event, or the hash that a selector begins.
Digest SignatureHash(std::string_view signature);

// Data that may be anything: each value is there, or not.
class AbiValues {
 public:
  explicit AbiValues(std::span<const uint8_t> data) : data_(data) {}

  std::optional<Word> WordAt(size_t i) const;
  std::optional<uint64_t> NumberAt(size_t i) const;  // nothing beyond 64 bits
  std::optional<Address> AddressAt(size_t i) const;
  std::optional<std::vector<uint8_t>> BytesAt(size_t i) const;

 private:
  std::span<const uint8_t> data_;
};

}  // namespace tally::server
