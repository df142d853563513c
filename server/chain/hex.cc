#include "server/chain/hex.h"

#include <charconv>

#include "absl/strings/str_cat.h"
#include "base/hash/digest.h"

namespace tally::server {

std::string HexOf(std::span<const uint8_t> bytes) { return "0x" + ToHex(bytes); }

std::string HexOfNumber(uint64_t number) { return absl::StrCat("0x", absl::Hex(number)); }

std::optional<std::vector<uint8_t>> BytesOfHex(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<uint8_t> bytes(text.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char* const digits = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(digits, digits + 2, bytes[i], 16);
    if (error != std::errc() || end != digits + 2) return std::nullopt;
  }
  return bytes;
}

std::optional<uint64_t> NumberOfHex(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  text.remove_prefix(2);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace tally::server
