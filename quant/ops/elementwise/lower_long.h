// Roots, powers and logarithms of numbers with more than 16 bits, for which no table has an entry each.
//
// A spectrum or a variance reaches over many orders of magnitude, and its logarithm or its root tells the
// small ones apart: 16 bits of the largest would make the small ones 0.
#pragma once

#include "quant/lower/lowering.h"
#include "quant/ops/elementwise/unary_ops.h"

namespace tally::quant {

// op(x) on the grid of `to`, for an op that ReadsLong: by normalized_table, with a relative error of about
// 2^-22. What is not positive is the smallest number that is. The step of x is a power of two. Errors:
// lower_gain, lower_unsupported.
LoweredResult LowerLongFunction(Lowering& lowering, const Unary& op, const RecipeParameter& alpha,
                                const Lowered& x, const QuantizedType& to);

}  // namespace tally::quant
