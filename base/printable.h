// Text from outside, made fit to be shown. A name or a path may hold characters that move a terminal's
// cursor, start a new line, or reverse the reading direction of the text around them, so that the reader sees
// something other than what is there.
//
//   Printable("a\x1b[2Jb")        // a\u{1b}[2Jb
//   Printable("\u202egpj.exe")    // \u{202e}gpj.exe
//   Printable("caf\u00e9 \xff")   // café \xff
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tally {

// Control characters (C0, DEL, C1), line and paragraph separators (2028, 2029), and marks, embeddings,
// overrides and isolates of the reading direction (061c, 200e, 200f, 202a to 202e, 2066 to 2069).
bool IsDisruptive(uint32_t code);

// "\u{202e}".
std::string EscapeOf(uint32_t code);

// `text` with disruptive characters as \u{...} and with bytes that are no UTF-8 as \xNN: one line of valid
// UTF-8. All else stays, backslashes too, so that text which is printable already is not escaped twice.
std::string Printable(std::string_view text);

// The start of `text`, about `longest` bytes, as from Printable. For names that a hostile file may make
// arbitrarily long.
std::string PrintableStart(std::string_view text, size_t longest = 120);

}  // namespace tally
