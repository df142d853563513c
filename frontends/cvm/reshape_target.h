// The codes that CVM's `reshape` has from MXNet in place of dims, resolved against the operand's shape.
//
//   ReshapeTarget({0, -1}, shape [2, 3, 4])         -> [2, 12]
//   ReshapeTarget({-4, 1, 2, -2}, shape [2, 3, 4])  -> [1, 2, 3, 4]
//
//    0   this dim of the operand
//   -1   whatever makes the number of elements right; once
//   -2   all remaining dims of the operand
//   -3   the product of the next two dims of the operand
//   -4   the next dim of the operand, split into the two numbers that follow, one of which may be -1
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/shape.h"

namespace tally::cvm {

// Errors: cvm_reshape, where a code asks for a dim that the operand does not have, does not divide it, or is
// none of these, or the numbers of elements differ; shape_rank, shape_dim, shape_elements
absl::StatusOr<Shape> ReshapeTarget(std::span<const int64_t> codes, const Shape& operand);

}  // namespace tally::cvm
