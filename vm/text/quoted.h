// Strings of the text form (docs/spec/text.md#tokens).
//
//   Quoted("a \"b\"\u202e")          // "a \"b\"\u{202e}", with the quotes
//   Unquoted("a \\\"b\\\"\\u{202e}")  // a "b" and U+202E
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tally {

// A name as a string of the text form. What would disrupt the text around it (base/printable.h) is escaped,
// so that a name cannot make a reader see another module.
std::string Quoted(std::string_view name);

// Bytes of the escape that `text` starts with, such as 8 of \u{202e}; 0 when it starts with no escape of the
// text form.
size_t EscapeSize(std::string_view text);

// The meaning of a string. `text` is what is between the quotes, and each backslash in it starts an escape.
std::string Unquoted(std::string_view text);

}  // namespace tally
