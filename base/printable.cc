#include "base/printable.h"

#include "absl/strings/str_cat.h"
#include "base/utf8.h"

namespace tally {

bool IsDisruptive(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

std::string EscapeOf(uint32_t code) { return absl::StrCat("\\u{", absl::Hex(code), "}"); }

std::string Printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const Utf8Character c = FirstUtf8Character(text);
    if (c.size == 0) {
      absl::StrAppend(&printable, "\\x", absl::Hex(static_cast<uint8_t>(text[0]), absl::kZeroPad2));
    } else if (IsDisruptive(c.code)) {
      printable += EscapeOf(c.code);
    } else {
      printable += text.substr(0, c.size);
    }
    text.remove_prefix(c.size == 0 ? 1 : c.size);
  }
  return printable;
}

std::string PrintableStart(std::string_view text, size_t longest) {
  if (text.size() <= longest) return Printable(text);
  size_t end = longest;
  const auto continues = [&](size_t i) { return (static_cast<uint8_t>(text[i]) & 0xc0) == 0x80; };
  while (end > longest - 3 && continues(end)) --end;  // not inside a character
  return Printable(text.substr(0, end)) + "...";
}

}  // namespace tally
