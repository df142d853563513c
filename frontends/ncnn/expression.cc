#include "frontends/ncnn/expression.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/numbers.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"
#include "frontends/graph/refusals.h"

namespace tally::ncnn {
namespace {

// Sizes stay far below what a double holds exactly.
constexpr double kMost = static_cast<double>(int64_t{1} << 40);

struct Number {
  double value = 0;
  bool is_whole = true;  // an integer, which is divided as one
};

using frontend::Malformed;

using One = double (*)(double);
using Two = double (*)(double, double);

const std::map<std::string_view, Two>& OperatorsOfTwo() {
  static const auto& operators = *new std::map<std::string_view, Two>{
      {"+", [](double a, double b) { return a + b; }},
      {"-", [](double a, double b) { return a - b; }},
      {"*", [](double a, double b) { return a * b; }},
      {"/", [](double a, double b) { return a / b; }},
      {"max", [](double a, double b) { return std::max(a, b); }},
      {"min", [](double a, double b) { return std::min(a, b); }},
  };
  return operators;
}

const std::map<std::string_view, One>& FunctionsOfOne() {
  static const auto& functions = *new std::map<std::string_view, One>{
      {"abs", [](double a) { return std::abs(a); }},
      {"neg", [](double a) { return -a; }},
      {"sign", [](double a) { return a > 0   ? 1.0
                                     : a < 0 ? -1.0
                                             : 0.0; }},
      {"square", [](double a) { return a * a; }},
      {"trunc", [](double a) { return std::trunc(a); }},
      {"ceil", [](double a) { return std::ceil(a); }},
      {"floor", [](double a) { return std::floor(a); }},
      {"round", [](double a) { return std::round(a); }},
      {"sqrt", [](double a) { return std::sqrt(a); }},
  };
  return functions;
}

std::vector<std::string_view> Tokens(std::string_view text) {
  std::vector<std::string_view> tokens;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of("(),"), text.size());
    if (end > 0) tokens.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return tokens;
}

// "0w", ".."; nothing for another token.
absl::StatusOr<std::optional<double>> SizeOf(std::string_view token, const std::vector<quant::Shape>& blobs) {
  constexpr std::string_view kNames = "whdc";
  const bool is_digit = token.size() == 2 && token[0] >= '0' && token[0] <= '9';
  if (!is_digit || kNames.find(token[1]) == std::string_view::npos) return std::optional<double>();
  const auto blob = static_cast<size_t>(token[0] - '0');
  if (blob >= blobs.size())
    return Malformed(absl::StrCat("its sizes name input ", blob, ", which it does not have"));
  const quant::Shape& shape = blobs[blob];
  const size_t rank = shape.size();
  switch (token[1]) {
    case 'w': return std::optional<double>(rank < 1 ? 1 : shape[rank - 1]);
    case 'h': return std::optional<double>(rank < 2 ? 1 : shape[rank - 2]);
    case 'd': return std::optional<double>(rank < 4 ? 1 : shape[1]);
    default: return std::optional<double>(rank < 3 ? 1 : shape[0]);
  }
}

class Stack {
 public:
  absl::Status Push(Number number) {
    if (!(std::abs(number.value) < kMost)) return Malformed("a size is out of range");
    numbers_.push_back(number);
    return absl::OkStatus();
  }
  absl::StatusOr<Number> Pop() {
    if (numbers_.empty()) return Malformed("an operator of its sizes has too few operands");
    const Number number = numbers_.back();
    numbers_.pop_back();
    return number;
  }
  bool empty() const { return numbers_.empty(); }

 private:
  std::vector<Number> numbers_;
};

// An integer quotient is rounded toward zero, one of floats toward minus infinity.
absl::StatusOr<Number> Quotient(const Number& a, const Number& b) {
  if (b.value == 0) return Malformed("its sizes are divided by 0");
  const double quotient = a.value / b.value;
  const bool is_whole = a.is_whole && b.is_whole;
  return Number{is_whole ? std::trunc(quotient) : std::floor(quotient), is_whole};
}

absl::Status Apply(std::string_view token, const std::vector<quant::Shape>& blobs, Stack& stack) {
  ASSIGN_OR_RETURN(const std::optional<double> size, SizeOf(token, blobs));
  if (size.has_value()) return stack.Push({*size});
  if (const auto one = FunctionsOfOne().find(token); one != FunctionsOfOne().end()) {
    ASSIGN_OR_RETURN(const Number a, stack.Pop());
    const bool rounds = token == "trunc" || token == "ceil" || token == "floor" || token == "round";
    return stack.Push({one->second(a.value), token != "sqrt" && (rounds || a.is_whole)});
  }
  const auto two = OperatorsOfTwo().find(token);
  if (two != OperatorsOfTwo().end() || token == "//") {
    ASSIGN_OR_RETURN(const Number a, stack.Pop());
    ASSIGN_OR_RETURN(const Number b, stack.Pop());
    if (token == "//") {
      ASSIGN_OR_RETURN(const Number quotient, Quotient(a, b));
      return stack.Push(quotient);
    }
    return stack.Push({two->second(a.value, b.value), token != "/" && a.is_whole && b.is_whole});
  }
  double literal = 0;
  if (!absl::SimpleAtod({token.data(), token.size()}, &literal)) {
    return MakeError(label::model_unsupported_attribute,
                     absl::StrCat("'", PrintableStart(token), "' in its sizes is not imported"));
  }
  return stack.Push({literal, literal == std::floor(literal)});
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> EvaluateSizes(std::string_view text,
                                                   const std::vector<quant::Shape>& blobs) {
  Stack stack;
  const std::vector<std::string_view> tokens = Tokens(text);
  for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) {
    RETURN_IF_ERROR(Apply(*token, blobs, stack));
  }
  std::vector<int64_t> sizes;
  while (!stack.empty()) {
    ASSIGN_OR_RETURN(const Number number, stack.Pop());
    sizes.push_back(static_cast<int64_t>(std::trunc(number.value)));
  }
  return sizes;
}

}  // namespace tally::ncnn
