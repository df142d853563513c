#include "frontends/cvm/attribute_text.h"

#include <charconv>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/cvm/labels.h"
#include "ops/attributes.h"

namespace tally::cvm {
namespace {

std::string_view Trim(std::string_view text) {
  const absl::string_view trimmed = absl::StripAsciiWhitespace(ToAbsl(text));
  return {trimmed.data(), trimmed.size()};
}

absl::Status NotA(std::string_view kind, std::string_view text) {
  return MakeError(label::cvm_attribute,
                   absl::StrCat("'", PrintableStart(text), "' is not a ", ToAbsl(kind)));
}

}  // namespace

absl::StatusOr<int64_t> ParseInt(std::string_view text) {
  std::string_view digits = Trim(text);
  // from_chars takes no plus; "+-1" stays refused.
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  int32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return NotA("integer of 32 bits", text);
  return value;
}

absl::StatusOr<bool> ParseBool(std::string_view text) {
  const std::string lower = absl::AsciiStrToLower(ToAbsl(Trim(text)));
  if (lower == "true" || lower == "1") return true;
  if (lower == "false" || lower == "0") return false;
  return NotA("boolean", text);
}

absl::StatusOr<std::vector<int64_t>> ParseTuple(std::string_view text) {
  std::string_view rest = Trim(text);
  const bool round = rest.size() >= 2 && rest.front() == '(' && rest.back() == ')';
  const bool square = rest.size() >= 2 && rest.front() == '[' && rest.back() == ']';
  std::vector<int64_t> values;
  if (!round && !square) {
    ASSIGN_OR_RETURN(const int64_t value, ParseInt(text));
    values.push_back(value);
    return values;
  }
  rest = Trim(rest.substr(1, rest.size() - 2));
  while (!rest.empty()) {
    if (static_cast<int64_t>(values.size()) == kMaxAttributeList) return NotA("short tuple", text);
    const size_t comma = rest.find(',');
    ASSIGN_OR_RETURN(const int64_t value, ParseInt(rest.substr(0, comma)));
    values.push_back(value);
    rest = comma == std::string_view::npos ? "" : Trim(rest.substr(comma + 1));
  }
  return values;
}

absl::StatusOr<std::vector<int64_t>> ParseOptionalInt(std::string_view text) {
  std::vector<int64_t> value;
  if (Trim(text) == "None") return value;
  ASSIGN_OR_RETURN(const int64_t number, ParseInt(text));
  value.push_back(number);
  return value;
}

std::string PrintBool(bool value) { return value ? "True" : "False"; }

std::string PrintTuple(const std::vector<int64_t>& values) {
  return absl::StrCat("(", absl::StrJoin(values, ", "), values.size() == 1 ? ",)" : ")");
}

std::string PrintOptionalInt(const std::vector<int64_t>& value) {
  return value.empty() ? "None" : absl::StrCat(value[0]);
}

}  // namespace tally::cvm
