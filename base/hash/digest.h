// A SHA-256 digest and its text, 64 lowercase hexadecimal digits.
//
//   ToHex(digest);                       // "e3b0c442...7852b855"
//   ParseDigest(text).has_value();       // the inverse
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tally {

using Digest = std::array<uint8_t, 32>;

// Two lowercase digits for each byte, first byte first.
std::string ToHex(std::span<const uint8_t> bytes);

// nullopt unless `hex` is exactly 64 digits, letters in lower case: a digest has one spelling.
std::optional<Digest> ParseDigest(std::string_view hex);

}  // namespace tally
