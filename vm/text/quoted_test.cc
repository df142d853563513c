#include "vm/text/quoted.h"

#include <gtest/gtest.h>

#include <string>

#include "base/printable.h"
#include "base/utf8.h"

namespace tally {
namespace {

std::string Inside(const std::string& quoted) { return quoted.substr(1, quoted.size() - 2); }

TEST(Quoted, EscapesQuotesBackslashesAndDisruptiveCharacters) {
  EXPECT_EQ(Quoted("say \"hi\" \\ \u00e9"), "\"say \\\"hi\\\" \\\\ \u00e9\"");
  EXPECT_EQ(Quoted("\u202egpj.exe\u2028"), "\"\\u{202e}gpj.exe\\u{2028}\"");
  EXPECT_EQ(Quoted("\\u{202e}"), "\"\\\\u{202e}\"");  // another name than U+202E
}

TEST(Quoted, EveryCharacterComesBack) {
  for (uint32_t code = 0; code <= 0x10ffff; ++code) {
    if (!IsUnicode(code)) continue;
    std::string name = "a";
    AppendUtf8(code, name);
    name += "b";
    const std::string text = Inside(Quoted(name));
    ASSERT_EQ(Printable(text), text) << code;
    ASSERT_EQ(Unquoted(text), name) << code;
  }
}

TEST(Quoted, KnowsItsEscapes) {
  EXPECT_EQ(EscapeSize("\\\"x"), 2u);
  EXPECT_EQ(EscapeSize("\\\\u{202e}"), 2u);
  EXPECT_EQ(EscapeSize("\\u{0}"), 5u);
  EXPECT_EQ(EscapeSize("\\u{10ffff}}"), 10u);
  EXPECT_EQ(EscapeSize("\\u{00202e}"), 10u);
  for (const char* text :
       {"", "x", "\\", "\\n", "\\u", "\\u{", "\\u{}", "\\u{20", "\\u{202E}", "\\u{-1}", "\\u{110000}",
        "\\u{d800}", "\\u{0000000}", "\\u{100000000000000041}", "\\u202e", "u{202e}"}) {
    EXPECT_EQ(EscapeSize(text), 0u) << text;
  }
}

}  // namespace
}  // namespace tally
