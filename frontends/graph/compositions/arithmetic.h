// Element-wise arithmetic that files write as one layer.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

// Floats, or integers. Errors: those of the graph, also where one is of floats and one of integers.
absl::StatusOr<Operand> Sum(Emitter& emitter, const Operand& a, const Operand& b);
absl::StatusOr<Operand> Difference(Emitter& emitter, const Operand& a, const Operand& b);
absl::StatusOr<Operand> Product(Emitter& emitter, const Operand& a, const Operand& b);
// A number that broadcasts is a bound (Clip).
absl::StatusOr<Operand> Larger(Emitter& emitter, const Operand& a, const Operand& b);
absl::StatusOr<Operand> Smaller(Emitter& emitter, const Operand& a, const Operand& b);
// Floats: by a constant, times its reciprocal. Integers: toward zero. Errors: also model_malformed for
// integers by a constant that holds 0.
absl::StatusOr<Operand> Quotient(Emitter& emitter, const Operand& a, const Operand& b);
// The quotient rounded toward minus infinity. The same errors.
absl::StatusOr<Operand> FloorQuotient(Emitter& emitter, const Operand& a, const Operand& b);
// The remainder of FloorQuotient, with the sign of b; with that of a where `like_dividend`. The same errors.
absl::StatusOr<Operand> RemainderOf(Emitter& emitter, const Operand& a, const Operand& b, bool like_dividend);
// a to the power b: integers, or floats that are not negative where b is computed.
absl::StatusOr<Operand> PowerOf(Emitter& emitter, const Operand& a, const Operand& b);

absl::StatusOr<Operand> Magnitude(Emitter& emitter, const Operand& x);
absl::StatusOr<Operand> Negative(Emitter& emitter, const Operand& x);
absl::StatusOr<Operand> SignOf(Emitter& emitter, const Operand& x);

using Pairwise = absl::StatusOr<Operand> (*)(Emitter&, const Operand&, const Operand&);
// f(f(x0, x1), x2), ... of at least one value.
absl::StatusOr<Operand> OfAll(Emitter& emitter, const std::vector<Operand>& values, Pairwise f);
absl::StatusOr<Operand> MeanOf(Emitter& emitter, const std::vector<Operand>& values);

// x within [low, high]. The largest float, and an infinity, is no bound.
absl::StatusOr<Operand> Clip(Emitter& emitter, const Operand& x, float low, float high);
// The same by scalars that may be computed, or of integers: the smaller of `high` and the larger of x and
// `low`. Errors: model_shape for bounds of several elements.
absl::StatusOr<Operand> Clip(Emitter& emitter, const Operand& x, const std::optional<Operand>& low,
                             const std::optional<Operand>& high);

// max(x, 0) + slope * min(x, 0). Errors: model_shape where the slopes do not broadcast to x.
absl::StatusOr<Operand> ParametricRelu(Emitter& emitter, const Operand& x, const Operand& slope);

// scale * x + shift, without a layer for a scale of 1 or a shift of 0.
absl::StatusOr<Operand> Affine(Emitter& emitter, const Operand& x, float scale, float shift);

// x * sigmoid(alpha x)
absl::StatusOr<Operand> Swish(Emitter& emitter, const Operand& x, float alpha);

}  // namespace tally::frontend
