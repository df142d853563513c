// Bytes as hexadecimal digits, as chains write them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tally::server {

std::string HexOf(std::span<const uint8_t> bytes);  // "0x..."
std::string HexOfNumber(uint64_t number);           // "0x0", "0x1f"

// With or without 0x before them. Nothing, where there is another digit, or an odd number of them.
std::optional<std::vector<uint8_t>> BytesOfHex(std::string_view text);

// A number of at most 64 bits: "0x1f". Nothing for any other text.
std::optional<uint64_t> NumberOfHex(std::string_view text);

}  // namespace tally::server
