// The proof of every operator that samples between pixels: what its positions and its sums may reach.
#pragma once

#include "absl/status/status.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "base/wide.h"
#include "ops/infer.h"

namespace tally {

// Error `label` when a position's numerator or its whole may leave [-2^61, 2^61]. Within it a neighbour's
// numerator, a comparison with the end of an axis and a doubled value still fit int64_t.
inline absl::Status CheckPositions(Int128 magnitude, Label label) {
  if (magnitude <= Int128{1} << 61) return absl::OkStatus();
  return MakeError(label, absl::StrCat("positions reach ", ToString(magnitude), " units"));
}

// The dividend of RoundedQuotient(sum, divisor, fraction), in units of sum / divisor / parts.
struct QuotientBounds {
  WideInterval value;
  WideInterval partial;  // bounds every part of the sum, in any order
  Int128 parts = 1;
  Int128 divisor = 1;  // the largest
  int64_t fraction = 0;
};

// A sum whose weights are positive and make up the divisor.
inline QuotientBounds MeanOf(const WideInterval& x, Int128 divisor, int64_t fraction) {
  return {.value = x, .partial = x.Hull({0, 0}), .divisor = divisor, .fraction = fraction};
}

// Sets the accumulator and appends the result. Error `label` when a step of the division may leave int64_t.
inline absl::Status AddQuotient(const InferContext& c, const Dims& dims, const QuotientBounds& q, Label label,
                                Inferred* out) {
  const WideInterval product = q.partial * WideInterval(q.divisor, q.divisor);
  const WideInterval partial(FloorDiv(product.lo, q.parts), CeilDiv(product.hi, q.parts));
  const Int128 steps = SatAdd(SatMul(partial.Magnitude(), Int128{2} << q.fraction), SatMul(q.divisor, 2));
  if (steps > INT64_MAX) {
    return MakeError(label, absl::StrCat("sums reach ", ToString(partial.Magnitude()), " for a divisor of ",
                                         ToString(q.divisor), " and ", q.fraction, " bits of fraction"));
  }
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  RETURN_IF_ERROR(out->SetAccumulator(c, partial));
  // RoundedQuotient is monotone. Nothing here saturates: `steps` has bounded it.
  const auto rounded = [&](Int128 v) {
    return FloorDiv(v * (Int128{2} << q.fraction) + q.parts, 2 * q.parts);
  };
  return out->AddResult(c, shape, WideInterval(rounded(q.value.lo), rounded(q.value.hi)));
}

}  // namespace tally
