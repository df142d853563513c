// Cuts the text form of a module into tokens (docs/spec/text.md#tokens).
//
//   Lexer lexer("%1 = relu %0  ; clears negative values");
//   ASSIGN_OR_RETURN(const Token token, lexer.Next());  // kValue "1"
//
// Line ends are tokens, because they end statements, except between brackets. Tokens are views into the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/error.h"

namespace tally {

enum class TokenKind {
  kWord,     // lower-case letters, digits and underscores, not starting with a digit
  kInteger,  // decimal digits, perhaps with a minus sign in front
  kValue,    // %12; its text is the digits
  kString,   // its text is what is between the quotes, escapes included
  kSymbol,   // one of = , * ^ [ ] { }
  kLineEnd,
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kLineEnd;
  std::string_view text;
  size_t offset = 0;  // for its first character
};

class Lexer {
 public:
  // `text` must outlive the lexer and its tokens.
  explicit Lexer(std::string_view text) : text_(text) {}

  // Errors: text_character, text_string.
  absl::StatusOr<Token> Next();

  // After an opening brace: exactly bytes.size() bytes of two hexadecimal digits each, with blanks and line
  // ends between bytes at will, up to the closing brace, which is the next token. Errors: text_hex,
  // text_element_count.
  absl::Status ReadHexBytes(std::span<uint8_t> bytes);

  // Characters after the last token: an upper bound of what may still come.
  size_t remaining() const { return text_.size() - position_; }

  // An error whose message starts with the line and the column of `offset`, both counted from 1; columns in
  // bytes.
  absl::Status ErrorAt(size_t offset, Label label, std::string_view message) const;

 private:
  char Peek(size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  void SkipBlanks();
  void SkipHexBlanks();
  Token Take(TokenKind kind, size_t length);
  absl::StatusOr<Token> TakeString();
  template <typename Belongs>
  size_t RunLength(size_t ahead, const Belongs& belongs) const;

  std::string_view text_;
  size_t position_ = 0;
  int64_t open_brackets_ = 0;
};

}  // namespace tally
