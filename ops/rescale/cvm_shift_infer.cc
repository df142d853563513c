#include "base/error.h"
#include "base/rescale.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/rescale/attrs.h"
#include "ops/rescale/labels.h"
#include "ops/rescale/rules.h"

namespace tally {
namespace {

// Adds the result of clip(bounds) to a CVM precision.
absl::Status AddSaturated(const InferContext& c, const WideInterval& bounds, int64_t precision,
                          Inferred* out) {
  const int64_t alpha = (int64_t{1} << (precision - 1)) - 1;
  return out->AddResult(c, c.shape(0), bounds.Clamp(-alpha, alpha));
}

}  // namespace

absl::Status InferCvmClip(const InferContext& c, Inferred* out) {
  return AddSaturated(c, c.interval(0), c.attrs<CvmClipAttrs>().precision, out);
}

absl::Status InferCvmRightShift(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<CvmShiftAttrs>();
  RETURN_IF_ERROR(CheckOperandLimit(c, 0, label::cvm_right_shift_c1));
  const auto shifted = [&](int64_t x) {
    return RoundShift<int64_t>(Rounding::kHalfUp, x, static_cast<int>(attrs.shift_bit), x < 0);
  };
  return AddSaturated(c, {shifted(c.interval(0).lo), shifted(c.interval(0).hi)}, attrs.precision, out);
}

absl::Status InferCvmLeftShift(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<CvmShiftAttrs>();
  if (c.profile == Profile::kCvm && c.precisions[0] + attrs.shift_bit > 32) {
    return MakeError(label::cvm_left_shift_c1, absl::StrCat("precision ", c.precisions[0], " shifted by ",
                                                            attrs.shift_bit, " exceeds 32"));
  }
  const Int128 scale = Int128{1} << attrs.shift_bit;
  return AddSaturated(c, WideInterval(c.interval(0)) * WideInterval(scale, scale), attrs.precision, out);
}

WideGas GasCvmShift(const GasContext& c) { return SatAdd(768, SatMul(22, c.elements_out(0))); }

std::vector<int> PrecisionOfCvmClip(const PrecisionContext& c) {
  return {static_cast<int>(c.attrs<CvmClipAttrs>().precision)};
}

std::vector<int> PrecisionOfCvmShift(const PrecisionContext& c) {
  return {static_cast<int>(c.attrs<CvmShiftAttrs>().precision)};
}

}  // namespace tally
