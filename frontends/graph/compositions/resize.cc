#include "frontends/graph/compositions/resize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

absl::StatusOr<Fraction> FractionOf(float scale) {
  int exponent = 0;
  constexpr int kMantissaBits = 24;
  if (!std::isfinite(scale) || scale <= 0)
    return MakeError(label::model_malformed, "a scale is not positive");
  int64_t mantissa = static_cast<int64_t>(std::ldexp(std::frexp(scale, &exponent), kMantissaBits));
  exponent -= kMantissaBits;
  const int zeros = std::countr_zero(static_cast<uint64_t>(mantissa));
  mantissa >>= zeros;
  exponent += zeros;
  const int bits = std::bit_width(static_cast<uint64_t>(mantissa));
  if (exponent < -30 || bits + std::max(exponent, 0) > 30) {
    return MakeError(label::model_unsupported_operand, "a scale is not a fraction of 30 bits");
  }
  return exponent < 0 ? Fraction{mantissa, int64_t{1} << -exponent} : Fraction{mantissa << exponent, 1};
}

absl::StatusOr<ResizeTarget> ByScales(const std::vector<float>& scales, const quant::Shape& x) {
  ResizeTarget target;
  for (size_t i = 0; i < x.size(); ++i) {
    ASSIGN_OR_RETURN(const Fraction scale, FractionOf(scales[i]));
    if (x[i] > (int64_t{1} << 31) || scale.numerator > (int64_t{1} << 30)) {
      return MakeError(label::model_shape, "the result is too large");
    }
    target.shape.push_back(x[i] * scale.numerator / scale.denominator);
    target.scales.push_back(scale);
  }
  return target;
}

namespace {

template <typename Op>
absl::StatusOr<Operand> ResizedBy(Emitter& emitter, const Operand& x, ResizeTarget target, Op how) {
  const quant::Shape& shape = x.shape();
  if (shape.size() != 3 && shape.size() != 4) {
    return MakeError(label::model_shape,
                     "x is " + quant::ToString(shape) + "; only [N, C, L] and [N, C, H, W] are resized");
  }
  RETURN_IF_ERROR(quant::CheckShape(target.shape));
  if (target.shape[0] != shape[0] || target.shape[1] != shape[1]) {
    return MakeError(label::model_unsupported_operand, "batch and channels are not resized");
  }
  const auto is_one = [](const Fraction& scale) { return scale.numerator == scale.denominator; };
  if (target.shape == shape && std::ranges::all_of(target.scales, is_one)) return x;
  const bool is_row = shape.size() == 3;
  if (is_row) {
    target.shape.insert(target.shape.begin() + 2, 1);
    if (!target.scales.empty()) target.scales.insert(target.scales.begin() + 2, Fraction{});
  }
  how.size = {target.shape[2], target.shape[3]};
  how.scales.clear();
  for (size_t axis = 2; axis < target.scales.size(); ++axis) {
    how.scales.insert(how.scales.end(), {target.scales[axis].numerator, target.scales[axis].denominator});
  }
  if (!is_row) return emitter.Emit(std::move(how), {x}, "resized");
  ASSIGN_OR_RETURN(const Operand image,
                   emitter.Emit(quant::Reshape{{shape[0], shape[1], 1, shape[2]}}, {x}, "image"));
  const quant::Shape row = {shape[0], shape[1], target.shape[3]};
  ASSIGN_OR_RETURN(const Operand resized, emitter.Emit(std::move(how), {image}, "resized"));
  return emitter.Emit(quant::Reshape{row}, {resized}, "row");
}

}  // namespace

absl::StatusOr<Operand> Resized(Emitter& emitter, const Operand& x, ResizeTarget target, quant::Resize how) {
  return ResizedBy(emitter, x, std::move(target), std::move(how));
}

absl::StatusOr<Operand> Resized(Emitter& emitter, const Operand& x, ResizeTarget target,
                                quant::ResizeCubic how) {
  return ResizedBy(emitter, x, std::move(target), std::move(how));
}

}  // namespace tally::frontend
