#include "vm/text/quoted.h"

#include <charconv>
#include <cstdint>

#include "base/printable.h"
#include "base/utf8.h"

namespace tally {
namespace {

constexpr std::string_view kUnicode = "\\u{";
constexpr size_t kMaxDigits = 6;

// The digits of "\u{202e}..."; empty when there are none.
std::string_view DigitsOf(std::string_view text) {
  if (!text.starts_with(kUnicode)) return {};
  const size_t end = text.find_first_not_of("0123456789abcdef", kUnicode.size());
  if (end == std::string_view::npos || text[end] != '}') return {};
  return text.substr(kUnicode.size(), end - kUnicode.size());
}

// At most six digits.
uint32_t CodeOf(std::string_view digits) {
  uint32_t code = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  return code;
}

}  // namespace

std::string Quoted(std::string_view name) {
  std::string text = "\"";
  while (!name.empty()) {
    const Utf8Character c = FirstUtf8Character(name);
    const std::string_view bytes = name.substr(0, c.size == 0 ? 1 : c.size);
    if (bytes == "\"" || bytes == "\\") text += '\\';
    text += c.size != 0 && IsDisruptive(c.code) ? EscapeOf(c.code) : bytes;
    name.remove_prefix(bytes.size());
  }
  return text + '"';
}

size_t EscapeSize(std::string_view text) {
  if (text.starts_with("\\\"") || text.starts_with("\\\\")) return 2;
  const std::string_view digits = DigitsOf(text);
  if (digits.empty() || digits.size() > kMaxDigits || !IsUnicode(CodeOf(digits))) return 0;
  return kUnicode.size() + digits.size() + 1;
}

std::string Unquoted(std::string_view text) {
  std::string name;
  while (!text.empty()) {
    const size_t size = EscapeSize(text);
    if (size > 2) {
      AppendUtf8(CodeOf(DigitsOf(text)), name);
    } else {
      name += text[size == 2 ? 1 : 0];
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return name;
}

}  // namespace tally
