#include "vm/text/token_reader.h"

#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <system_error>

#include "base/status_macros.h"
#include "base/strings.h"
#include "vm/text/labels.h"
#include "vm/text/quoted.h"

namespace tally {
namespace {

std::optional<int64_t> ParseInt64(std::string_view digits) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

absl::Status TokenReader::ErrorAt(const Token& token, Label label, std::string_view message) const {
  return lexer_.ErrorAt(token.offset, label, message);
}

absl::Status TokenReader::Error(Label label, std::string_view message) const {
  return ErrorAt(current_, label, message);
}

absl::Status TokenReader::Advance() {
  ASSIGN_OR_RETURN(current_, lexer_.Next());
  return absl::OkStatus();
}

absl::Status TokenReader::SkipLineEnds() {
  while (At(TokenKind::kLineEnd)) RETURN_IF_ERROR(Advance());
  return absl::OkStatus();
}

absl::Status TokenReader::TakeStatementEnd() {
  if (!At(TokenKind::kLineEnd) && !At(TokenKind::kEnd))
    return Error(label::text_syntax, "the statement ends here");
  return SkipLineEnds();
}

absl::Status TokenReader::TakeWord(std::string_view word) {
  if (!AtWord(word)) return Error(label::text_syntax, absl::StrCat("'", ToAbsl(word), "' belongs here"));
  return Advance();
}

absl::Status TokenReader::TakeSymbol(std::string_view symbol) {
  if (!AtSymbol(symbol))
    return Error(label::text_syntax, absl::StrCat("'", ToAbsl(symbol), "' belongs here"));
  return Advance();
}

absl::StatusOr<std::string_view> TokenReader::TakeAnyWord(std::string_view what) {
  if (!At(TokenKind::kWord)) return Error(label::text_syntax, absl::StrCat(ToAbsl(what), " belongs here"));
  const std::string_view word = current_.text;
  RETURN_IF_ERROR(Advance());
  return word;
}

absl::StatusOr<int64_t> TokenReader::TakeInteger(const Interval& range) {
  if (!At(TokenKind::kInteger)) return Error(label::text_syntax, "an integer belongs here");
  const std::optional<int64_t> value = ParseInt64(current_.text);
  if (!value.has_value() || !range.Contains(*value)) {
    return Error(label::text_number, absl::StrCat("the integer is outside ", range.ToString()));
  }
  RETURN_IF_ERROR(Advance());
  return *value;
}

absl::StatusOr<int64_t> TokenReader::TakeNegatedInteger() {
  if (!At(TokenKind::kInteger)) return Error(label::text_syntax, "an integer belongs here");
  const std::string_view text = current_.text;
  const std::optional<int64_t> value =
      ParseInt64(text[0] == '-' ? std::string(text.substr(1)) : "-" + std::string(text));
  if (!value.has_value())
    return Error(label::text_number, absl::StrCat("the negation is outside ", kAnyInt64.ToString()));
  RETURN_IF_ERROR(Advance());
  return *value;
}

absl::StatusOr<ValueId> TokenReader::TakeValue() {
  if (!At(TokenKind::kValue)) return Error(label::text_syntax, "a value belongs here");
  const std::optional<int64_t> id = ParseInt64(current_.text);
  if (!id.has_value() || *id > std::numeric_limits<ValueId>::max()) {
    return Error(label::text_number, "a value id has 32 bits");
  }
  RETURN_IF_ERROR(Advance());
  return static_cast<ValueId>(*id);
}

absl::StatusOr<std::string> TokenReader::TakeString() {
  if (!At(TokenKind::kString)) return Error(label::text_syntax, "a string belongs here");
  std::string text = Unquoted(current_.text);  // the lexer has seen to its escapes
  RETURN_IF_ERROR(Advance());
  return text;
}

absl::StatusOr<std::vector<int64_t>> TokenReader::TakeList(const Interval& range, int64_t max_length) {
  std::vector<int64_t> list;
  RETURN_IF_ERROR(TakeSymbol("["));
  while (!AtSymbol("]")) {
    if (!list.empty()) RETURN_IF_ERROR(TakeSymbol(","));
    if (static_cast<int64_t>(list.size()) == max_length) {
      return Error(label::text_limit, absl::StrCat("the list has more than ", max_length, " integers"));
    }
    ASSIGN_OR_RETURN(const int64_t element, TakeInteger(range));
    list.push_back(element);
  }
  RETURN_IF_ERROR(TakeSymbol("]"));
  return list;
}

absl::Status TokenReader::TakeHexBlock(std::span<uint8_t> bytes) {
  if (!AtSymbol("{")) return Error(label::text_syntax, "'{' belongs here");
  RETURN_IF_ERROR(lexer_.ReadHexBytes(bytes));
  RETURN_IF_ERROR(Advance());
  return TakeSymbol("}");
}

}  // namespace tally
