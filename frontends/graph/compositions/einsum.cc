#include "frontends/graph/compositions/einsum.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/reductions.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

using quant::Shape;

namespace {

struct Equation {
  std::vector<std::string> terms;
  std::string result;
};

constexpr std::string_view kDots = "...";

// Letters for the axes that "..." stands for: digits, which no equation has. The last axis is '0'.
std::string LettersOfDots(size_t axes) {
  std::string letters;
  for (size_t i = axes; i-- > 0;) letters += static_cast<char>('0' + i);
  return letters;
}

bool IsOfDots(char letter) { return letter >= '0' && letter <= '9'; }

// The equation with "..." written out, as many axes as the operand of each term has beside its letters; in
// the result as many as the longest has, first where the equation does not say.
absl::StatusOr<std::string> WithoutDots(const std::string& text, const std::vector<Operand>& operands) {
  const size_t arrow = std::min(text.find("->"), text.size());
  std::string whole;
  size_t longest = 0, term = 0;
  for (size_t begin = 0; begin <= arrow; ++term) {
    const size_t end = std::min(text.find(',', begin), arrow);
    std::string letters = text.substr(begin, end - begin);
    const size_t dots = letters.find(kDots);
    if (dots != std::string::npos) {
      const size_t named = letters.size() - kDots.size();
      const size_t rank = term < operands.size() ? operands[term].shape().size() : 0;
      if (rank < named)
        return MakeError(label::model_malformed, "the term '" + letters + "' has too many axes");
      longest = std::max(longest, rank - named);
      letters.replace(dots, kDots.size(), LettersOfDots(rank - named));
    }
    whole += (term == 0 ? "" : ",") + letters;
    begin = end + 1;
  }
  std::string result = text.substr(arrow);
  if (const size_t dots = result.find(kDots); dots != std::string::npos)
    result.replace(dots, kDots.size(), LettersOfDots(longest));
  return whole + result;
}

absl::StatusOr<Equation> Parse(std::string_view text, const std::vector<Operand>& operands) {
  std::string letters;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      return MakeError(label::model_malformed,
                       "the equation '" + PrintableStart(text) + "' has a digit; axes are letters");
    }
    if (c != ' ') letters += c;
  }
  ASSIGN_OR_RETURN(letters, WithoutDots(letters, operands));
  const size_t arrow = letters.find("->");
  Equation equation;
  std::string left = letters.substr(0, arrow);
  for (size_t comma; (comma = left.find(',')) != std::string::npos; left.erase(0, comma + 1)) {
    equation.terms.push_back(left.substr(0, comma));
  }
  equation.terms.push_back(left);
  std::map<char, int> counts;
  for (const std::string& term : equation.terms) {
    for (const char c : term) ++counts[c];
  }
  if (arrow != std::string::npos) {
    equation.result = letters.substr(arrow + 2);
  } else {
    for (auto entry = counts.rbegin(); entry != counts.rend(); ++entry) {
      if (IsOfDots(entry->first)) equation.result += entry->first;
    }
    for (const auto& [letter, count] : counts) {
      if (count == 1 && !IsOfDots(letter)) equation.result += letter;
    }
  }
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsOfDots(c);
  };
  for (const auto& [letter, count] : counts) {
    if (!is_letter(letter)) {
      return MakeError(label::model_malformed,
                       "the equation '" + PrintableStart(text) +
                           "' has a character other than letters, commas, '->' and '...'");
    }
  }
  for (const char c : equation.result) {
    if (!counts.contains(c) || std::ranges::count(equation.result, c) > 1) {
      return MakeError(label::model_malformed, "the result of '" + PrintableStart(text) +
                                                   "' has a letter twice, or one that no term has");
    }
  }
  return equation;
}

// An operand, and the letter of each of its axes.
struct Named {
  Operand value;
  std::string letters;

  int64_t Size(char letter) const { return value.shape()[letters.find(letter)]; }
  bool Has(char letter) const { return letters.find(letter) != std::string::npos; }
};

int64_t SizeOf(const Named& of, const std::string& letters) {
  int64_t size = 1;
  for (const char c : letters) size *= of.Size(c);
  return size;
}

absl::StatusOr<Operand> InOrder(Emitter& emitter, const Named& x, const std::string& letters) {
  std::vector<int64_t> order;
  for (const char c : letters) order.push_back(static_cast<int64_t>(x.letters.find(c)));
  if (std::ranges::is_sorted(order)) return x.value;
  return emitter.Emit(quant::Transpose{order}, {x.value}, "ordered");
}

// Axes of "..." broadcast: one of 1 goes where `other` has a longer one.
absl::StatusOr<Named> WithoutOnes(Emitter& emitter, Named x, const Named& other) {
  Shape shape;
  std::string letters;
  for (size_t i = 0; i < x.letters.size(); ++i) {
    const char letter = x.letters[i];
    if (IsOfDots(letter) && x.value.shape()[i] == 1 && other.Has(letter) && other.Size(letter) > 1) continue;
    letters += letter;
    shape.push_back(x.value.shape()[i]);
  }
  if (letters == x.letters) return x;
  ASSIGN_OR_RETURN(x.value, emitter.Emit(quant::Reshape{std::move(shape)}, {x.value}, "without_ones"));
  x.letters = std::move(letters);
  return x;
}

// Without the axes that neither `other` nor the result has.
absl::StatusOr<Named> Summed(Emitter& emitter, Named x, const std::string& kept) {
  Reduction reduction = {.keep_dimensions = false};
  std::string letters;
  for (size_t i = 0; i < x.letters.size(); ++i) {
    if (kept.find(x.letters[i]) != std::string::npos) {
      letters += x.letters[i];
    } else {
      reduction.axes.push_back(static_cast<int64_t>(i));
    }
  }
  ASSIGN_OR_RETURN(x.value, Reduce(emitter, ReductionKind::kSum, x.value, reduction));
  x.letters = letters;
  return x;
}

// As a product of matrices: [batch, rows, depth] by [batch, depth, columns].
absl::StatusOr<Named> ProductOf(Emitter& emitter, const Named& a, const Named& b, const std::string& result) {
  std::string batch, rows, depth, columns;
  for (const char c : a.letters) {
    const bool is_kept = result.find(c) != std::string::npos;
    (b.Has(c) ? (is_kept ? batch : depth) : rows) += c;
    if (b.Has(c) && a.Size(c) != b.Size(c)) {
      return MakeError(label::model_malformed, std::string("the sizes of ") + c + " differ");
    }
  }
  for (const char c : b.letters) {
    if (!a.Has(c)) columns += c;
  }
  ASSIGN_OR_RETURN(const Operand left, InOrder(emitter, a, batch + rows + depth));
  ASSIGN_OR_RETURN(const Operand right, InOrder(emitter, b, batch + depth + columns));
  const int64_t n = SizeOf(a, batch), k = SizeOf(a, depth);
  const Shape of_left = {n, SizeOf(a, rows), k}, of_right = {n, k, SizeOf(b, columns)};
  ASSIGN_OR_RETURN(const Operand x, emitter.Emit(quant::Reshape{of_left}, {left}, "left"));
  ASSIGN_OR_RETURN(const Operand y, emitter.Emit(quant::Reshape{of_right}, {right}, "right"));
  ASSIGN_OR_RETURN(const Operand product, emitter.Emit(quant::MatMul{}, {x, y}, "product"));
  Shape shape;
  for (const char c : batch + rows) shape.push_back(a.Size(c));
  for (const char c : columns) shape.push_back(b.Size(c));
  ASSIGN_OR_RETURN(Operand shaped, emitter.Emit(quant::Reshape{shape}, {product}, "shaped"));
  return Named{std::move(shaped), batch + rows + columns};
}

}  // namespace

absl::StatusOr<Operand> Einsum(Emitter& emitter, std::string_view text,
                               const std::vector<Operand>& operands) {
  ASSIGN_OR_RETURN(const Equation equation, Parse(text, operands));
  if (equation.terms.size() != operands.size()) {
    return MakeError(label::model_malformed, "the equation '" + PrintableStart(text) + "' has " +
                                                 std::to_string(equation.terms.size()) + " terms");
  }
  if (operands.size() > 2) {
    return MakeError(label::model_unsupported_attribute,
                     "an equation of more than two operands is not imported");
  }
  std::vector<Named> named;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string& letters = equation.terms[i];
    if (letters.size() != operands[i].shape().size()) {
      return MakeError(label::model_malformed,
                       absl::StrCat("the term '", letters, "' has ", letters.size(),
                                    " axes, and its operand is ", quant::ToString(operands[i].shape())));
    }
    for (const char c : letters) {
      if (std::ranges::count(letters, c) > 1) {
        return MakeError(label::model_unsupported_attribute,
                         "the diagonal '" + letters + "' is not imported");
      }
    }
    named.push_back({operands[i], letters});
  }
  if (named.size() == 2) {
    ASSIGN_OR_RETURN(named[0], WithoutOnes(emitter, named[0], named[1]));
    ASSIGN_OR_RETURN(named[1], WithoutOnes(emitter, named[1], named[0]));
  }
  for (size_t i = 0; i < named.size(); ++i) {
    const std::string others = named.size() == 1 ? "" : named[1 - i].letters;
    ASSIGN_OR_RETURN(named[i], Summed(emitter, named[i], equation.result + others));
  }
  Named product = named[0];
  if (named.size() == 2) {
    ASSIGN_OR_RETURN(product, ProductOf(emitter, named[0], named[1], equation.result));
  }
  return InOrder(emitter, product, equation.result);
}

}  // namespace tally::frontend
