#include "proof/receipt/dsse.h"

#include "absl/strings/escaping.h"
#include "base/io/file.h"
#include "base/strings.h"

namespace tally {

std::string PreAuthenticationEncoding(std::string_view payload_type, std::string_view payload) {
  return absl::StrCat("DSSEv1 ", payload_type.size(), " ", ToAbsl(payload_type), " ", payload.size(), " ",
                      ToAbsl(payload));
}

std::string ToBase64(std::span<const uint8_t> bytes) { return absl::Base64Escape(ToAbsl(AsText(bytes))); }

std::optional<std::vector<uint8_t>> FromBase64(std::string_view text) {
  std::string bytes;
  // Abseil's decoder also takes text without padding or with blanks; only the spelling of its encoder is one.
  if (!absl::Base64Unescape(ToAbsl(text), &bytes) || absl::Base64Escape(bytes) != ToAbsl(text))
    return std::nullopt;
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

}  // namespace tally
