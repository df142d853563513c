// The bytes that a DSSE signature signs (github.com/secure-systems-lab/dsse, protocol.md), and base64 (RFC
// 4648 section 4).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tally {

// The "pre-authentication encoding": "DSSEv1", then type and payload, each after its length, with spaces
// between.
std::string PreAuthenticationEncoding(std::string_view payload_type, std::string_view payload);

std::string ToBase64(std::span<const uint8_t> bytes);

// nullopt unless `text` is what ToBase64 writes: with padding, without line breaks and without bits left
// over.
std::optional<std::vector<uint8_t>> FromBase64(std::string_view text);

}  // namespace tally
