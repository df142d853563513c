// A cursor over tokens that says what it expected: the assembler's hands.
//
//   TokenReader reader(text);
//   RETURN_IF_ERROR(reader.Start());
//   RETURN_IF_ERROR(reader.TakeWord("profile"));
//
// A Take moves past what it takes; one that fails leaves an error with line and column.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/error.h"
#include "base/interval.h"
#include "vm/module.h"
#include "vm/text/lexer.h"

namespace tally {

inline constexpr Interval kAnyInt64 = {std::numeric_limits<int64_t>::min(),
                                       std::numeric_limits<int64_t>::max()};

class TokenReader {
 public:
  explicit TokenReader(std::string_view text) : lexer_(text) {}

  // Moves to the first statement.
  absl::Status Start() { return SkipLineEnds(); }

  const Token& current() const { return current_; }
  bool At(TokenKind kind) const { return current_.kind == kind; }
  bool AtWord(std::string_view word) const { return At(TokenKind::kWord) && current_.text == word; }
  bool AtSymbol(std::string_view symbol) const { return At(TokenKind::kSymbol) && current_.text == symbol; }

  // Errors of all: those of the lexer; text_syntax when another token is here; text_number.
  absl::Status TakeWord(std::string_view word);
  absl::Status TakeSymbol(std::string_view symbol);
  absl::StatusOr<std::string_view> TakeAnyWord(std::string_view what);
  absl::StatusOr<int64_t> TakeInteger(const Interval& range);
  // The negation of the integer that is here, so that -2^63 has a text too.
  absl::StatusOr<int64_t> TakeNegatedInteger();
  absl::StatusOr<ValueId> TakeValue();
  absl::StatusOr<std::string> TakeString();

  // [1, 2, 3] with at most `max_length` integers; text_limit beyond.
  absl::StatusOr<std::vector<int64_t>> TakeList(const Interval& range, int64_t max_length);

  // The bytes between the brace that is here and its partner.
  absl::Status TakeHexBlock(std::span<uint8_t> bytes);

  // The end of the line or of the text, and empty lines after it.
  absl::Status TakeStatementEnd();

  // Characters after the current token.
  size_t remaining() const { return lexer_.remaining(); }

  // At the current token, or at another one.
  absl::Status Error(Label label, std::string_view message) const;
  absl::Status ErrorAt(const Token& token, Label label, std::string_view message) const;

 private:
  absl::Status Advance();
  absl::Status SkipLineEnds();

  Lexer lexer_;
  Token current_;  // starts as a line end in front of the text
};

}  // namespace tally
