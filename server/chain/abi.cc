#include "server/chain/abi.h"

#include <algorithm>

#include "base/io/file.h"
#include "server/chain/keccak.h"

namespace tally::server {
namespace {

constexpr size_t kWord = 32;

void Append(std::vector<uint8_t>& out, std::span<const uint8_t> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// The number of a word, where it has at most 64 bits.
std::optional<uint64_t> NumberOf(const Word& word) {
  uint64_t number = 0;
  for (size_t i = 0; i < kWord; ++i) {
    if (i < kWord - 8 && word[i] != 0) return std::nullopt;
    number = number << 8 | word[i];
  }
  return number;
}

}  // namespace

Word WordOf(uint64_t number) {
  Word word = {};
  for (size_t i = 0; i < 8; ++i) word[kWord - 1 - i] = static_cast<uint8_t>(number >> (8 * i));
  return word;
}

Word WordOf(const Address& address) {
  Word word = {};
  std::ranges::copy(address, word.end() - static_cast<std::ptrdiff_t>(address.size()));
  return word;
}

Digest SignatureHash(std::string_view signature) { return Keccak256(AsBytes(signature)); }

AbiCall::AbiCall(std::string_view signature) : selector_(SignatureHash(signature)) {}

AbiCall& AbiCall::Add(const Word& word) {
  arguments_.push_back({false, {word.begin(), word.end()}});
  return *this;
}

AbiCall& AbiCall::Add(std::span<const uint8_t> bytes) {
  std::vector<uint8_t> tail;
  Append(tail, WordOf(bytes.size()));
  Append(tail, bytes);
  tail.resize((tail.size() + kWord - 1) / kWord * kWord);
  arguments_.push_back({true, std::move(tail)});
  return *this;
}

AbiCall& AbiCall::Add(std::span<const Address> addresses) {
  std::vector<uint8_t> tail;
  Append(tail, WordOf(addresses.size()));
  for (const Address& address : addresses) Append(tail, WordOf(address));
  arguments_.push_back({true, std::move(tail)});
  return *this;
}

std::vector<uint8_t> AbiCall::Encode() const {
  std::vector<uint8_t> out(selector_.begin(), selector_.begin() + 4);
  size_t tail = kWord * arguments_.size();
  for (const Argument& argument : arguments_) {
    if (!argument.in_tail) {
      Append(out, argument.bytes);
      continue;
    }
    Append(out, WordOf(tail));
    tail += argument.bytes.size();
  }
  for (const Argument& argument : arguments_) {
    if (argument.in_tail) Append(out, argument.bytes);
  }
  return out;
}

std::optional<Word> AbiValues::WordAt(size_t i) const {
  if (i >= data_.size() / kWord) return std::nullopt;
  Word word;
  std::ranges::copy(data_.subspan(kWord * i, kWord), word.begin());
  return word;
}

std::optional<uint64_t> AbiValues::NumberAt(size_t i) const {
  const auto word = WordAt(i);
  return word ? NumberOf(*word) : std::nullopt;
}

std::optional<Address> AbiValues::AddressAt(size_t i) const {
  const auto word = WordAt(i);
  if (!word || std::any_of(word->begin(), word->begin() + 12, [](uint8_t b) { return b != 0; }))
    return std::nullopt;
  Address address;
  std::copy(word->begin() + 12, word->end(), address.begin());
  return address;
}

std::optional<std::vector<uint8_t>> AbiValues::BytesAt(size_t i) const {
  const auto at = NumberAt(i);
  if (!at || *at > data_.size() || data_.size() - *at < kWord) return std::nullopt;
  const auto rest = data_.subspan(*at);
  const auto size = AbiValues(rest).NumberAt(0);
  if (!size || *size > rest.size() - kWord) return std::nullopt;
  const auto bytes = rest.subspan(kWord, *size);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

}  // namespace tally::server
