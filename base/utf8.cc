#include "base/utf8.h"

namespace tally {

bool IsUnicode(uint32_t code) { return code <= 0x10ffff && (code < 0xd800 || code >= 0xe000); }

Utf8Character FirstUtf8Character(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  const size_t size = lead < 0x80             ? 1
                      : (lead & 0xe0) == 0xc0 ? 2
                      : (lead & 0xf0) == 0xe0 ? 3
                      : (lead & 0xf8) == 0xf0 ? 4
                                              : 0;
  if (size == 0 || size > text.size()) return {};
  uint32_t code = size == 1 ? lead : lead & (0x7f >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr uint32_t kFirstOfSize[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kFirstOfSize[size] || !IsUnicode(code)) return {};
  return {code, size};
}

void AppendUtf8(uint32_t code, std::string& text) {
  const auto append = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return append(code);
  if (code < 0x800) {
    append(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    append(0xe0 | code >> 12);
    append(0x80 | (code >> 6 & 0x3f));
  } else {
    append(0xf0 | code >> 18);
    append(0x80 | (code >> 12 & 0x3f));
    append(0x80 | (code >> 6 & 0x3f));
  }
  append(0x80 | (code & 0x3f));
}

}  // namespace tally
