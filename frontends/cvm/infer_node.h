// Shapes and published precisions, by the operators' own rules.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "frontends/cvm/graph.h"
#include "frontends/cvm/operators.h"

namespace tally::cvm {

// A shape and a precision within profile cvm. Errors: cvm_shape, cvm_precision
absl::Status CheckEntry(const Shape& shape, int precision);

// Reads the attributes of `node`, whose operator and inputs are known, into `node`, and returns its results.
// Intervals play no part: they need the elements of the weights, and validation proves them.
// Errors: cvm_operands (the number of inputs), those of ReadAttributes and ReshapeTarget, and the operator's
// constraints.
absl::StatusOr<std::vector<Entry>> InferNode(const std::vector<Entry>& entries, const AttributeTexts& texts,
                                             Node& node);

}  // namespace tally::cvm
