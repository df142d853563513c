// UTF-8, one character at a time.
//
//   for (size_t i = 0; i < text.size();) {
//     const Utf8Character c = FirstUtf8Character(text.substr(i));
//     if (c.size == 0) return false;  // no UTF-8
//     i += c.size;
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tally {

struct Utf8Character {
  uint32_t code = 0;
  size_t size = 0;  // bytes, 1 to 4; 0: no character
};

// Whether `code` is a character's: at most 10ffff, and no surrogate.
bool IsUnicode(uint32_t code);

// The first character of `text`. Size 0 when it is empty or does not start with a character in its shortest
// form.
Utf8Character FirstUtf8Character(std::string_view text);

// IsUnicode(code) must hold.
void AppendUtf8(uint32_t code, std::string& text);

}  // namespace tally
