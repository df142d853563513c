#include "base/printable.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "base/utf8.h"

namespace tally {
namespace {

std::string Utf8(uint32_t code) {
  std::string text;
  AppendUtf8(code, text);
  return text;
}

TEST(Utf8, EveryCharacterComesBack) {
  for (uint32_t code = 0; code <= 0x10ffff; ++code) {
    if (!IsUnicode(code)) continue;
    const std::string text = Utf8(code);
    const Utf8Character c = FirstUtf8Character(text + "x");
    ASSERT_EQ(c.code, code);
    ASSERT_EQ(c.size, text.size()) << code;
    ASSERT_EQ(FirstUtf8Character(text.substr(0, text.size() - 1)).size, 0u) << code;
  }
}

TEST(Utf8, RefusesOtherBytes) {
  for (const char* text : {"\x80", "\xff", "\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xed\xa0\x80",
                           "\xf4\x90\x80\x80", "\xc3(", "\xe2\x82("}) {
    EXPECT_EQ(FirstUtf8Character(text).size, 0u) << text;
  }
}

// The characters by name, apart from the ranges in the code.
TEST(Printable, EscapesWhatDisruptsTheTextAroundIt) {
  std::u32string disruptive =
      U"\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u0085\x7f";
  for (char32_t code = 0; code < 0x20; ++code) disruptive += code;
  for (char32_t code = 0x80; code < 0xa0; ++code) disruptive += code;
  for (uint32_t code = 0; code <= 0x10ffff; ++code) {
    if (!IsUnicode(code)) continue;
    const bool escaped = disruptive.find(static_cast<char32_t>(code)) != std::u32string::npos;
    ASSERT_EQ(Printable("a" + Utf8(code) + "b"), "a" + (escaped ? EscapeOf(code) : Utf8(code)) + "b") << code;
  }
  EXPECT_EQ(Printable("a\x1b[2Jb\u202e\n"), "a\\u{1b}[2Jb\\u{202e}\\u{a}");
}

TEST(Printable, EscapesBytesThatAreNoUtf8) {
  EXPECT_EQ(Printable("a\xff\xe2\x82"), "a\\xff\\xe2\\x82");
  EXPECT_EQ(Printable("\x09\x80"), "\\u{9}\\x80");
}

TEST(Printable, LeavesPrintableTextAsItIs) {
  for (const char* text : {"", "conv1/Add_3", "caf\u00e9 \u4e2d \U0001f600 \"'\\", "\\u{202e}\\xff"}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(Printable, StartsAreCutBetweenCharacters) {
  EXPECT_EQ(PrintableStart(std::string(120, 'a')), std::string(120, 'a'));
  EXPECT_EQ(PrintableStart(std::string(121, 'a')), absl::StrCat(std::string(120, 'a'), "..."));
  const std::string start(118, 'a');
  EXPECT_EQ(PrintableStart(absl::StrCat(start, "\U0001f600 b")), absl::StrCat(start, "..."));
  EXPECT_EQ(PrintableStart(std::string(1'000'000, '\x80')).size(), 117u * 4 + 3);
}

}  // namespace
}  // namespace tally
