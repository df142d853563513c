#include "vm/text/lexer.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/strings.h"
#include "vm/text/labels.h"
#include "vm/text/quoted.h"

namespace tally {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordStart(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
bool IsWordPart(char c) { return IsWordStart(c) || IsDigit(c); }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

int HexDigit(char c) { return IsDigit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

}  // namespace

absl::Status Lexer::ErrorAt(size_t offset, Label label, std::string_view message) const {
  const std::string_view before = text_.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return MakeError(label, absl::StrCat(line, ":", offset - line_start + 1, ": ", ToAbsl(message)));
}

void Lexer::SkipBlanks() {
  for (; position_ < text_.size(); ++position_) {
    const char c = text_[position_];
    if (c == ';') {
      position_ = std::min(text_.find('\n', position_), text_.size());
      if (position_ == text_.size()) return;
    }
    const bool skipped = IsBlank(text_[position_]) || (text_[position_] == '\n' && open_brackets_ > 0);
    if (!skipped) return;
  }
}

Token Lexer::Take(TokenKind kind, size_t length) {
  const Token token = {kind, text_.substr(position_, length), position_};
  position_ += length;
  return token;
}

template <typename Belongs>
size_t Lexer::RunLength(size_t ahead, const Belongs& belongs) const {
  size_t end = position_ + ahead;
  while (end < text_.size() && belongs(text_[end])) ++end;
  return end - position_;
}

absl::StatusOr<Token> Lexer::TakeString() {
  const size_t start = position_;
  for (size_t i = start + 1; i < text_.size() && text_[i] != '\n'; ++i) {
    if (text_[i] == '"') {
      position_ = i + 1;
      return Token{TokenKind::kString, text_.substr(start + 1, i - start - 1), start};
    }
    if (text_[i] != '\\') continue;
    const size_t escape = EscapeSize(text_.substr(i));
    if (escape == 0) return ErrorAt(i, label::text_string, R"(the escapes are \" and \\ and \u{...})");
    i += escape - 1;
  }
  return ErrorAt(start, label::text_string, "the string does not end on its line");
}

absl::StatusOr<Token> Lexer::Next() {
  SkipBlanks();
  if (position_ == text_.size()) return Take(TokenKind::kEnd, 0);
  const char c = Peek();
  if (c == '\n') return Take(TokenKind::kLineEnd, 1);
  if (c == '"') return TakeString();
  if (IsWordStart(c)) return Take(TokenKind::kWord, RunLength(1, IsWordPart));
  if (IsDigit(c) || (c == '-' && IsDigit(Peek(1)))) return Take(TokenKind::kInteger, RunLength(1, IsDigit));
  if (c == '%' && IsDigit(Peek(1))) {
    Token token = Take(TokenKind::kValue, RunLength(1, IsDigit));
    token.text.remove_prefix(1);
    return token;
  }
  if (c == '[' || c == '{') ++open_brackets_;
  if ((c == ']' || c == '}') && open_brackets_ > 0) --open_brackets_;
  if (std::string_view("=,*^[]{}").find(c) != std::string_view::npos) return Take(TokenKind::kSymbol, 1);
  return ErrorAt(position_, label::text_character, "no token starts with this character");
}

void Lexer::SkipHexBlanks() {
  while (position_ < text_.size() && (IsBlank(text_[position_]) || text_[position_] == '\n')) ++position_;
}

absl::Status Lexer::ReadHexBytes(std::span<uint8_t> bytes) {
  for (uint8_t& byte : bytes) {
    SkipHexBlanks();
    if (Peek() == '}') return ErrorAt(position_, label::text_element_count, "the constant has too few bytes");
    const int high = HexDigit(Peek()), low = HexDigit(Peek(1));
    if (high < 0 || low < 0)
      return ErrorAt(position_, label::text_hex, "a byte is two digits out of 0-9 and a-f");
    byte = static_cast<uint8_t>(high << 4 | low);
    position_ += 2;
  }
  SkipHexBlanks();
  if (Peek() == '}') return absl::OkStatus();
  return ErrorAt(position_, HexDigit(Peek()) < 0 ? label::text_hex : label::text_element_count,
                 "the constant ends here with a closing brace");
}

}  // namespace tally
