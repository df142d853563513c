#include <algorithm>

#include "base/division.h"
#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/elementwise/attrs.h"
#include "ops/elementwise/labels.h"
#include "ops/elementwise/rules.h"
#include "ops/infer.h"

namespace tally {
namespace {

// |x| over all of `x`.
WideInterval Magnitudes(const WideInterval& x) {
  const Int128 smallest = std::max<Int128>({x.lo, -x.hi, 0});
  return {smallest, x.Magnitude()};
}

}  // namespace

absl::Status InferAbs(const InferContext& c, Inferred* out) {
  return out->AddResult(c, c.shape(0), Magnitudes(c.interval(0)));
}

absl::Status InferNegative(const InferContext& c, Inferred* out) {
  return out->AddResult(c, c.shape(0), -WideInterval(c.interval(0)));
}

absl::Status InferRelu(const InferContext& c, Inferred* out) {
  const Interval& x = c.interval(0);
  return out->AddResult(c, c.shape(0), {std::max<int64_t>(x.lo, 0), std::max<int64_t>(x.hi, 0)});
}

absl::Status InferClip(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<ClipAttrs>();
  if (attrs.a_min > attrs.a_max) {
    return MakeError(label::clip_c1,
                     absl::StrCat("a_min = ", attrs.a_min, " is above a_max = ", attrs.a_max));
  }
  const Interval limit = TensorLimit(c.profile);
  if (!limit.Contains(Interval{attrs.a_min, attrs.a_max})) {
    return MakeError(label::clip_c2, absl::StrCat("a_min = ", attrs.a_min, " and a_max = ", attrs.a_max,
                                                  " are not both in ", limit.ToString()));
  }
  return out->AddResult(c, c.shape(0), WideInterval(c.interval(0)).Clamp(attrs.a_min, attrs.a_max));
}

absl::Status InferCvmPrecision(const InferContext& c, Inferred* out) {
  RETURN_IF_ERROR(CheckOperandLimit(c, 0, label::cvm_precision_c1));
  const auto bits = [](Int128 magnitude) { return std::max(1, BitLength(static_cast<uint64_t>(magnitude))); };
  const WideInterval magnitudes = Magnitudes(c.interval(0));
  return out->AddResult(c, c.shape(0), {bits(magnitudes.lo), bits(magnitudes.hi)});
}

absl::Status InferClz(const InferContext& c, Inferred* out) {
  const int64_t bits = c.attrs<ClzAttrs>().bits;
  const Interval& x = c.interval(0);
  if (x.hi >= int64_t{1} << bits) {
    return MakeError(label::clz_c1,
                     absl::StrCat("x in ", x.ToString(), " may take more than ", bits, " bits"));
  }
  const auto zeros = [&](int64_t v) { return v < 0 ? 0 : bits - BitLength(static_cast<uint64_t>(v)); };
  const int64_t least_magnitude = std::clamp<int64_t>(0, x.lo, x.hi);
  return out->AddResult(c, c.shape(0), {x.lo < 0 ? 0 : zeros(x.hi), zeros(least_magnitude)});
}

absl::Status InferSqrt(const InferContext& c, Inferred* out) {
  RETURN_IF_ERROR(CheckOperandLimit(c, 0, label::sqrt_c1));
  const RootRounding rounding = c.attrs<SqrtAttrs>().rounding;
  const auto root = [&](int64_t v) {
    if (v < 0) return int64_t{0};
    return rounding == RootRounding::kFloor ? FloorSqrt<int64_t>(v) : NearestSqrt<int64_t>(v);
  };
  return out->AddResult(c, c.shape(0), {root(c.interval(0).lo), root(c.interval(0).hi)});
}

std::vector<int> PrecisionOfClip(const PrecisionContext& c) {
  const auto attrs = c.attrs<ClipAttrs>();
  return {PrecisionOf(Interval{attrs.a_min, attrs.a_max}.Magnitude())};
}

std::vector<int> PrecisionOfBitCount(const PrecisionContext&) { return {6}; }

}  // namespace tally
