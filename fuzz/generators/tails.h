// The steps that producers write after a GEMM, and steps that may follow any value.
#pragma once

#include <optional>

#include "fuzz/generators/network.h"

namespace tally {

// Each returns the new value, or nothing where its instruction is refused.

// Adds a constant, now and then another value, that broadcasts with `x`: a number for each element of the
// last axis, of the axis of channels, of all of x, or one.
std::optional<DraftId> AddBias(Network& n, DraftId x);

// A range of results: mostly of bytes, and beyond 32 bits.
Interval DrawClamp(EntropySource& e);

// Brings `x`, of any range, to about the range of `clamp`. One scale, or one for each channel of an axis.
std::optional<DraftId> Requantize(Network& n, DraftId x, const Interval& clamp);
inline std::optional<DraftId> Requantize(Network& n, DraftId x) { return Requantize(n, x, DrawClamp(n.e)); }

// A clamp within, beside or beyond what x has.
std::optional<DraftId> ClampValue(Network& n, DraftId x);

// Adds another value of x's shape as it is, and perhaps rescales the sum; or each by a factor.
std::optional<DraftId> AddResidual(Network& n, DraftId x);
std::optional<DraftId> CombineResidual(Network& n, DraftId x);

// Takes what a table has for x, which holds at most 16 bits. Of all indices, of some of them, and of some
// besides.
std::optional<DraftId> LookUp(Network& n, DraftId x);

// As much of all this as a network has after the sum `x`, in its order.
void DrawTail(Network& n, DraftId x);

}  // namespace tally
