// Flags, counts and what is chosen by them. A flag is an integer of 0 or 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "frontends/graph/emitter.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

// 0 in the element type of `x`.
absl::StatusOr<Operand> ZeroLike(Emitter& emitter, const Operand& x);

// 0, 1, .. along `axis` of a constant of `shape`. It is a sum, so that one which is too large is refused
// before there is such a list.
absl::StatusOr<Operand> CountUp(Emitter& emitter, const quant::Shape& shape, int64_t axis,
                                std::string_view step);

// start, start + step, .. up to but without limit. Errors: model_too_large beyond 2^20 of them, or without
// end.
template <typename T>
absl::StatusOr<quant::DenseTensor<T>> RangeOf(T start, T limit, T step) {
  const double count =
      std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(step));
  constexpr double kMost = 1 << 20;
  if (step == 0 || !(count <= kMost)) return MakeError(label::model_too_large, "the range has no end");
  quant::DenseTensor<T> range{{static_cast<int64_t>(std::max(count, 0.0))}, {}};
  for (int64_t i = 0; i < range.shape[0]; ++i) {
    range.data.push_back(static_cast<T>(start + static_cast<T>(i) * step));
  }
  return range;
}

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
