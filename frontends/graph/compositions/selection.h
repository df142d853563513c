// Flags, counts and what is chosen by them. A flag is an integer of 0 or 1.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

// 0 in the element type of `x`.
absl::StatusOr<Operand> ZeroLike(Emitter& emitter, const Operand& x);

// 0, 1, .. along `axis` of a constant of `shape`. It is a sum, so that one which is too large is refused
// before there is such a list.
absl::StatusOr<Operand> CountUp(Emitter& emitter, const quant::Shape& shape, int64_t axis,
                                std::string_view step);

// Whether x is 0: of flags, the others.
absl::StatusOr<Operand> Not(Emitter& emitter, const Operand& x);

// Along a new axis `axis` of `depth` places, `values[1]` at the place that an index names, else `values[0]`;
// an index counts from the back where it is negative and `from_back`. Errors: model_shape for a depth below 1
// or another number of values, model_unsupported_operand where the values are no constant.
absl::StatusOr<Operand> OneHot(Emitter& emitter, const Operand& indices, int64_t axis, int64_t depth,
                               const Operand& values, bool from_back);

// x above (upper) or below the diagonal `k` of its last two axes, and on it; elsewhere 0. Errors:
// model_shape.
absl::StatusOr<Operand> Triangle(Emitter& emitter, const Operand& x, int64_t k, bool upper);

}  // namespace tally::frontend
