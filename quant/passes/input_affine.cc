#include "quant/passes/input_affine.h"

#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "quant/grid/quantized_type.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

cpp_rational Exact(const Rational& x) { return {x.numerator, x.denominator}; }

int64_t NearestInteger(const cpp_rational& x) {
  const cpp_rational half(1, 2);
  const cpp_rational away = x < 0 ? cpp_rational(x - half) : cpp_rational(x + half);
  return static_cast<int64_t>(cpp_int(numerator(away) / denominator(away)));
}

// The number of means or stds, which channels there are for.
absl::StatusOr<size_t> NumEntries(const InputMeaning& meaning, const Shape& shape) {
  const size_t entries = std::max({meaning.mean.size(), meaning.std.size(), size_t{1}});
  for (const auto* list : {&meaning.mean, &meaning.std}) {
    if (list->size() > 1 && list->size() != entries)
      return RefuseMeaning(meaning, "mean and std have different numbers of channels");
  }
  if (entries > 1 && (shape.size() < 2 || shape[1] != static_cast<int64_t>(entries))) {
    return RefuseMeaning(meaning, absl::StrCat("there are ", entries, " values of mean or std for axis 1 of ",
                                               ToString(shape)));
  }
  return entries;
}

bool IsGrid(const InputMeaning& meaning, double scale) {
  const auto is = [](const std::vector<Rational>& list, const cpp_rational& x) {
    return std::ranges::all_of(list, [&](const Rational& entry) { return Exact(entry) == x; });
  };
  return is(meaning.mean, 0) && is(meaning.std, 1) && std::isfinite(scale) && scale > 0 &&
         cpp_rational(scale) == Exact(meaning.scale) && RoundScaleUp(scale) == scale;
}

}  // namespace

float Nearest(const ExactRational& x) {
  cpp_int magnitude = abs(numerator(x));
  if (magnitude == 0) return 0;
  cpp_int divisor = denominator(x), rest;
  // A quotient of 62 or 63 bits, with what is lost in its last one.
  const int shift = 62 - (static_cast<int>(msb(magnitude)) - static_cast<int>(msb(divisor)));
  (shift > 0 ? magnitude : divisor) <<= std::abs(shift);
  cpp_int quotient;
  divide_qr(magnitude, divisor, quotient, rest);
  const auto bits = static_cast<uint64_t>(quotient) | (rest == 0 ? 0 : 1);
  const float nearest = std::ldexp(static_cast<float>(bits), -shift);
  return x < 0 ? -nearest : nearest;
}

absl::Status RefuseMeaning(const InputMeaning& meaning, std::string_view why) {
  return MakeError(label::lower_input, absl::StrCat("input '", meaning.name, "': ", ToAbsl(why)));
}

absl::StatusOr<Folding> FoldingOf(const InputMeaning& meaning, const Shape& shape) {
  ASSIGN_OR_RETURN(const size_t entries, NumEntries(meaning, shape));
  const cpp_rational scale = Exact(meaning.scale);
  if (scale <= 0) return RefuseMeaning(meaning, "the scale is not positive");
  for (const Rational& std : meaning.std) {
    if (std.numerator <= 0) return RefuseMeaning(meaning, "a std is not positive");
  }
  const Interval& codes = meaning.interval;
  if (codes.lo > codes.hi || codes.Magnitude() > uint64_t{1} << 31)
    return RefuseMeaning(meaning, "the bounds are not LO <= HI within 32 bits");
  Folding folding;
  folding.told.format = {.name = meaning.name,
                         .type = {.scale = static_cast<double>(meaning.scale.numerator) /
                                           static_cast<double>(meaning.scale.denominator),
                                  .zero_point = meaning.zero_point,
                                  .interval = codes}};
  if (IsGrid(meaning, folding.told.format.type.scale)) return folding;

  folding.told.into = FoldedInto::kLayers;
  cpp_rational sum = 0;
  std::vector<cpp_rational> zeros;  // the integer, if it were one, that stands for 0
  for (size_t c = 0; c < entries; ++c) {
    const auto entry = [&](const std::vector<Rational>& list, int64_t none) -> cpp_rational {
      return list.empty() ? cpp_rational(none) : Exact(list[list.size() == 1 ? 0 : c]);
    };
    folding.affine.factor.push_back(scale / entry(meaning.std, 1));
    zeros.push_back(entry(meaning.mean, 0) / scale + meaning.zero_point);
    sum += zeros.back();
  }
  const cpp_rational mean = sum / entries;
  const int64_t zero = mean < codes.lo ? codes.lo : mean > codes.hi ? codes.hi : NearestInteger(mean);
  folding.told.format.type = {.scale = 1, .zero_point = zero, .interval = codes};
  folding.told.format.as_integers = true;
  folding.told.factor.clear();
  folding.told.offset.clear();
  for (size_t c = 0; c < entries; ++c) {
    folding.affine.offset.push_back(zeros[c] - zero);
    folding.told.factor.push_back(cpp_rational(1 / folding.affine.factor[c]).convert_to<double>());
    folding.told.offset.push_back(folding.affine.offset[c].convert_to<double>());
  }
  // With it the weights of the constant channel are no larger than the others.
  const int64_t channels = shape.size() < 2 ? 1 : shape[1];
  cpp_rational reach = 0;
  for (int64_t c = 0; c < channels; ++c) reach += abs(folding.affine.Offset(c));
  const int64_t above = codes.hi - zero, below = zero - codes.lo;
  const int64_t wanted = reach > std::max(above, below)
                             ? std::max(above, below)
                             : std::max<int64_t>(NearestInteger(reach + cpp_rational(1, 2)), 1);
  folding.constant_channel = static_cast<float>(wanted <= above ? wanted : -wanted);
  return folding;
}

}  // namespace tally::quant
