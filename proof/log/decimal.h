// Numbers in the texts of logs: one spelling each.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace tally {

// nullopt unless `text` is a number below 2^63 in digits, without zeros in front.
inline std::optional<uint64_t> ParseDecimal(std::string_view text) {
  if (text.empty() || (text[0] == '0' && text.size() > 1)) return std::nullopt;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value > uint64_t{std::numeric_limits<int64_t>::max()}) return std::nullopt;
  return value;
}

}  // namespace tally
