#include <algorithm>
#include <array>
#include <bit>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/common/half_up_bounds.h"
#include "ops/infer.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/labels.h"
#include "ops/normalization/rules.h"
#include "ops/reduction/reduce_shape.h"

namespace tally {
namespace {

using Labels = std::array<Label, 9>;  // for C1 to C9
constexpr Labels kLayerNorm = {label::layer_norm_c1, label::layer_norm_c2, label::layer_norm_c3,
                               label::layer_norm_c4, label::layer_norm_c5, label::layer_norm_c6,
                               label::layer_norm_c7, label::layer_norm_c8, label::layer_norm_c9};
constexpr Labels kRmsNorm = {label::rms_norm_c1, label::rms_norm_c2, label::rms_norm_c3,
                             label::rms_norm_c4, label::rms_norm_c5, label::rms_norm_c6,
                             label::rms_norm_c7, label::rms_norm_c8, label::rms_norm_c9};

int64_t RowLength(const Shape& x, const std::vector<int64_t>& axes) {
  return ReduceOver(x, AxesToReduce(axes, x.rank())).inner.num_elements();
}

absl::Status CheckOperands(const InferContext& c, const LayerNormAttrs& attrs, const Labels& labels) {
  RETURN_IF_ERROR(CheckOperandLimit(c, 0, labels[0]));
  const Shape& x = c.shape(0);
  for (const int64_t axis : attrs.axes) RETURN_IF_ERROR(NormalizeAxis(axis, x.rank(), labels[1]).status());
  if (std::popcount(AxesToReduce(attrs.axes, x.rank())) < std::ssize(attrs.axes)) {
    return MakeError(labels[2], absl::StrCat("an axis is listed twice among ", attrs.axes.size()));
  }
  if (!c.is_constant(1) || !c.is_constant(2) || c.shape(1) != c.shape(2)) {
    return MakeError(labels[3], absl::StrCat("m ", c.shape(1).ToString(), " and b ", c.shape(2).ToString(),
                                             " are not two constants of one shape"));
  }
  ASSIGN_OR_RETURN(const Dims broadcast, BroadcastDims(x.dims(), c.shape(1).dims(), labels[4]));
  if (!std::ranges::equal(broadcast, x.dims())) {
    return MakeError(labels[4],
                     absl::StrCat("m ", c.shape(1).ToString(), " is larger than x ", x.ToString()));
  }
  return CheckClamp(attrs, labels[5]);
}

// The greatest |z|, in units of 2^-20, of a row of `length` elements: its exact value is at most
// sqrt(`freedom`), the reciprocal root adds a part of 2^-29, and the rounding one half.
Int128 LargestNormalized(int64_t freedom) {
  const Int128 square = Int128{freedom} << 40;
  Int128 root = 0;
  for (Int128 bit = Int128{1} << 40; bit > 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= square) root += bit;
  }
  return root + (root >> 29) + 2;
}

// Every partial sum of the variance is at most N times the greatest distance squared: `reach`^2 with
// reach = N times that distance. `variance` bounds the whole sum.
absl::Status CheckRow(const InferContext& c, const LayerNormAttrs& attrs, Int128 reach, Int128 variance,
                      const Labels& labels, Inferred* out) {
  if (reach > Int128{1} << 31) {
    return MakeError(labels[6], absl::StrCat("row length times distance reaches ", ToString(reach)));
  }
  const Int128 squares = SatAdd(SatMul(variance, Int128{1} << (2 * attrs.guard)), attrs.epsilon);
  const Int128 limit = Int128{1} << (attrs.epsilon_mode == EpsilonMode::kOutside ? 31 : 62);
  if (squares >= Int128{1} << 62 || attrs.epsilon >= limit) {
    return MakeError(labels[7], absl::StrCat("variance and epsilon = ", attrs.epsilon, " reach ",
                                             ToString(squares), " with ", attrs.guard, " guard bits"));
  }
  return out->SetAccumulator(c, {-SatMul(reach, reach), SatMul(reach, reach)});
}

absl::Status AddNormalized(const InferContext& c, const LayerNormAttrs& attrs, Int128 largest,
                           const Labels& labels, Inferred* out) {
  if (c.of_program) return AddClamped(c, attrs, out);
  const WideInterval z(-largest, largest);
  WideInterval y;
  for (int64_t i = 0; i < c.shape(1).num_elements(); ++i) {
    const int64_t m = c.constant(1)->at(i), b = c.constant(2)->at(i);
    const WideInterval scaled = z * Point(m) + Point(b);
    if (!CanBeRounded(SatAdd(SatMul(largest, Point(m).Magnitude()), Point(b).Magnitude()), attrs.shift)) {
      return MakeError(labels[8], absl::StrCat("entry ", i, ": the product reaches [", ToString(scaled.lo),
                                               ", ", ToString(scaled.hi), "]"));
    }
    const WideInterval rounded = HalfUp(scaled, attrs.shift);
    y = i == 0 ? rounded : y.Hull(rounded);
  }
  return AddPlaced(c, y, attrs, out);
}

}  // namespace

absl::Status InferLayerNorm(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<LayerNormAttrs>();
  RETURN_IF_ERROR(CheckOperands(c, attrs, kLayerNorm));
  const int64_t length = RowLength(c.shape(0), attrs.axes);
  const Int128 reach = SatMul(length, Int128{c.interval(0).hi} - c.interval(0).lo);
  // Popoviciu: the variance of values in [lo, hi] is at most (hi - lo)^2 / 4.
  RETURN_IF_ERROR(CheckRow(c, attrs, reach, SatMul(reach, reach) / 4, kLayerNorm, out));
  return AddNormalized(c, attrs, LargestNormalized(length - 1), kLayerNorm, out);
}

absl::Status InferRmsNorm(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<RmsNormAttrs>();
  RETURN_IF_ERROR(CheckOperands(c, attrs, kRmsNorm));
  const int64_t length = RowLength(c.shape(0), attrs.axes);
  const Int128 reach = SatMul(length, (WideInterval(c.interval(0)) - Point(attrs.zero_in)).Magnitude());
  RETURN_IF_ERROR(CheckRow(c, attrs, reach, SatMul(reach, reach), kRmsNorm, out));
  return AddNormalized(c, attrs, LargestNormalized(length), kRmsNorm, out);
}

WideGas GasNorm(const GasContext& c) {
  const int64_t length = RowLength(c.operands[0].shape, (*c.attributes)[0]);  // `axes` is the first of both
  return SatAdd(SatAdd(1024, SatMul(304, c.elements_out(0))), SatMul(320, c.elements_out(0) / length));
}

}  // namespace tally
