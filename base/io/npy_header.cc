#include "base/io/npy_header.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/labels.h"
#include "base/status_macros.h"

namespace tally {
namespace {

constexpr std::array<std::pair<std::string_view, NpyType>, 12> kDescriptors = {{
    {"|i1", NpyType::kInt8},
    {"<i2", NpyType::kInt16},
    {"<i4", NpyType::kInt32},
    {"<i8", NpyType::kInt64},
    {"|b1", NpyType::kBool},
    {"|u1", NpyType::kUint8},
    {"<u2", NpyType::kUint16},
    {"<u4", NpyType::kUint32},
    {"<u8", NpyType::kUint64},
    {"<f2", NpyType::kFloat16},
    {"<f4", NpyType::kFloat32},
    {"<f8", NpyType::kFloat64},
}};

absl::Status BadHeader(std::string_view expected) {
  return MakeError(
      label::npy_header,
      "the header is not a dictionary of descr, fortran_order and shape: expected " + std::string(expected));
}

// Reads the few kinds of Python literal that a header may hold.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool Accept(std::string_view token) {
    SkipSpace();
    if (text_.substr(0, token.size()) != token) return false;
    text_.remove_prefix(token.size());
    return true;
  }

  // 'text' or "text", with no escapes.
  std::optional<std::string_view> QuotedString() {
    const char quote = Accept("'") ? '\'' : '"';
    if (quote == '"' && !Accept("\"")) return std::nullopt;
    const size_t end = text_.find(quote);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view content = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return content;
  }

  std::optional<int64_t> NonNegative() {
    SkipSpace();
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (error != std::errc() || number < 0) return std::nullopt;
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return number;
  }

  bool AtEnd() {
    SkipSpace();
    return text_.empty();
  }

 private:
  void SkipSpace() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
  }

  std::string_view text_;
};

absl::StatusOr<NpyType> ParseType(Scanner& scanner) {
  const std::optional<std::string_view> descriptor = scanner.QuotedString();
  if (!descriptor.has_value()) return BadHeader("a quoted descr");
  std::string known;
  for (const auto& [name, type] : kDescriptors) {
    if (name == *descriptor) return type;
    known += " " + std::string(name);
  }
  return MakeError(label::npy_type, "element type '" + std::string(*descriptor) + "' is not one of" + known);
}

// A tuple: (), (3,), (3, 4) or (3, 4,).
absl::StatusOr<std::vector<int64_t>> ParseShape(Scanner& scanner) {
  std::vector<int64_t> shape;
  if (!scanner.Accept("(")) return BadHeader("a tuple as shape");
  while (!scanner.Accept(")")) {
    const std::optional<int64_t> dimension = scanner.NonNegative();
    if (!dimension.has_value()) return BadHeader("non-negative dimensions");
    if (shape.size() == kNpyMaxRank) return MakeError(label::npy_shape, "rank is above 32");
    shape.push_back(*dimension);
    if (scanner.Accept(",")) continue;
    if (shape.size() == 1) return BadHeader("a comma after the only dimension");  // (3) is no tuple
    if (!scanner.Accept(")")) return BadHeader("a comma between dimensions");
    break;
  }
  return shape;
}

}  // namespace

absl::StatusOr<NpyHeader> ParseNpyHeader(std::string_view text) {
  Scanner scanner(text);
  std::optional<NpyType> type;
  std::optional<std::vector<int64_t>> shape;
  bool has_order = false;
  if (!scanner.Accept("{")) return BadHeader("'{'");
  while (!scanner.Accept("}")) {
    const std::optional<std::string_view> key = scanner.QuotedString();
    if (!key.has_value() || !scanner.Accept(":")) return BadHeader("a quoted key and ':'");
    if (*key == "descr" && !type.has_value()) {
      ASSIGN_OR_RETURN(type, ParseType(scanner));
    } else if (*key == "shape" && !shape.has_value()) {
      ASSIGN_OR_RETURN(shape, ParseShape(scanner));
    } else if (*key == "fortran_order" && !has_order) {
      if (scanner.Accept("True")) return MakeError(label::npy_order, "the array is in Fortran order");
      if (!scanner.Accept("False")) return BadHeader("True or False");
      has_order = true;
    } else {
      return BadHeader("each of the three keys once");
    }
    if (scanner.Accept(",")) continue;
    if (!scanner.Accept("}")) return BadHeader("',' or '}'");
    break;
  }
  if (!scanner.AtEnd()) return BadHeader("nothing after '}'");
  if (!type.has_value() || !shape.has_value() || !has_order) return BadHeader("all three keys");
  return NpyHeader{*type, *std::move(shape)};
}

std::string FormatNpyHeader(const NpyHeader& header) {
  std::string text = "{'descr': '";
  for (const auto& [name, type] : kDescriptors) {
    if (type == header.type) text += name;
  }
  text += "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < header.shape.size(); ++i) {
    if (i > 0) text += " ";
    text += std::to_string(header.shape[i]);
    if (i + 1 < header.shape.size() || i == 0) text += ",";
  }
  return text + "), }";
}

}  // namespace tally
