#include "cli/networks/input_grid.h"

#include <cstdlib>
#include <limits>
#include <numeric>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/named_values.h"

namespace tally::cli {
namespace {

using quant::Rational;

Rational Reduced(Rational x) {
  const int64_t common = std::gcd(x.numerator, x.denominator);
  return common > 1 ? Rational{x.numerator / common, x.denominator / common} : x;
}

bool MultiplyByPowerOf10(int64_t& x, int64_t power) {
  for (; power > 0; --power) {
    if (!CheckedMul(x, int64_t{10}, &x)) return false;
  }
  return true;
}

// "-12.5e-3"
std::optional<Rational> ParseDecimal(absl::string_view text) {
  constexpr int64_t kMaxExponent = 1000;
  std::string digits(text.substr(0, text.find_first_of("eE")));
  int64_t exponent = 0;
  if (digits.size() < text.size() &&
      (!absl::SimpleAtoi(text.substr(digits.size() + 1), &exponent) || std::abs(exponent) > kMaxExponent)) {
    return std::nullopt;
  }
  if (const size_t point = digits.find('.'); point != std::string::npos) {
    exponent -= static_cast<int64_t>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  Rational x;
  if (digits.find_first_not_of("+-0123456789") != std::string::npos ||
      !absl::SimpleAtoi(digits, &x.numerator) || x.numerator == std::numeric_limits<int64_t>::min()) {
    return std::nullopt;
  }
  const bool fits = exponent < 0 ? MultiplyByPowerOf10(x.denominator, -exponent)
                                 : MultiplyByPowerOf10(x.numerator, exponent);
  return fits ? std::optional(Reduced(x)) : std::nullopt;
}

// A comma between each two.
absl::StatusOr<std::vector<Rational>> ParseList(const std::optional<std::string>& text,
                                                std::string_view flag) {
  std::vector<Rational> list;
  if (!text.has_value()) return list;
  for (const absl::string_view part : absl::StrSplit(*text, ',')) {
    const auto number = ParseRational(std::string(part));
    if (!number.has_value())
      return MakeError(label::option_syntax,
                       absl::StrCat("'", *text, "' is not ", ToAbsl(flag), " NAME=A,B,C"));
    list.push_back(*number);
  }
  return list;
}

absl::StatusOr<quant::InputMeaning> ParseGrid(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, ',');
  quant::InputMeaning meaning;
  const auto scale = ParseRational(parts[0]);
  if (parts.size() != 4 || !scale.has_value() || !absl::SimpleAtoi(parts[1], &meaning.zero_point) ||
      !absl::SimpleAtoi(parts[2], &meaning.interval.lo) ||
      !absl::SimpleAtoi(parts[3], &meaning.interval.hi)) {
    return MakeError(label::option_syntax, absl::StrCat("'", text, "' is not NAME=SCALE,ZERO,LO,HI"));
  }
  meaning.scale = *scale;
  return meaning;
}

}  // namespace

std::optional<Rational> ParseRational(const std::string& text) {
  const size_t slash = text.find('/');
  const auto numerator = ParseDecimal(absl::string_view(text).substr(0, slash));
  if (slash == std::string::npos || !numerator.has_value()) return numerator;
  auto denominator = ParseDecimal(absl::string_view(text).substr(slash + 1));
  if (!denominator.has_value() || denominator->numerator == 0) return std::nullopt;
  if (denominator->numerator < 0) {
    denominator->numerator = -denominator->numerator;
    denominator->denominator = -denominator->denominator;
  }
  const Rational a = Reduced({numerator->numerator, denominator->numerator}),
                 b = Reduced({denominator->denominator, numerator->denominator});
  Rational x;
  if (!CheckedMul(a.numerator, b.numerator, &x.numerator) ||
      !CheckedMul(a.denominator, b.denominator, &x.denominator)) {
    return std::nullopt;
  }
  return Reduced(x);
}

absl::StatusOr<std::vector<quant::InputMeaning>> ParseInputMeanings(const ServedInputOptions& options,
                                                                    const std::vector<std::string>& names) {
  ASSIGN_OR_RETURN(const auto grids, ValuesByName(options.grids, names, "--input-grid"));
  ASSIGN_OR_RETURN(const auto means, ValuesByName(options.means, names, "--mean"));
  ASSIGN_OR_RETURN(const auto stds, ValuesByName(options.stds, names, "--std"));
  std::vector<quant::InputMeaning> meanings;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!grids[i].has_value()) {
      if (!means[i].has_value() && !stds[i].has_value()) continue;
      return MakeError(label::option_syntax,
                       absl::StrCat("--mean and --std of '", names[i], "' need --input-grid, such as ",
                                    names[i], "=1/255,0,0,255"));
    }
    ASSIGN_OR_RETURN(quant::InputMeaning meaning, ParseGrid(*grids[i]));
    meaning.name = names[i];
    ASSIGN_OR_RETURN(meaning.mean, ParseList(means[i], "--mean"));
    ASSIGN_OR_RETURN(meaning.std, ParseList(stds[i], "--std"));
    meanings.push_back(std::move(meaning));
  }
  return meanings;
}

}  // namespace tally::cli
