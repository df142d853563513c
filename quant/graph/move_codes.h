// The codes of a constant whose elements an operator moves at import.
#pragma once

#include <memory>

#include "quant/graph/op.h"

namespace tally::quant {

// `op` moves elements of one operand (OpTraits::moves) of the shape `from` and yields `result`. Null where
// that leaves no axis along which the scales are, or the operator adds elements of its own.
std::shared_ptr<const ConstantCodes> MovedCodes(const ConstantCodes& codes, const Op& op, const Shape& from,
                                                const ValueType& result);

}  // namespace tally::quant
