#include <utility>

#include "base/status_macros.h"
#include "quant/ops/reduction/reduction_ops.h"

namespace tally::quant {

TypeResult ArgMax::Infer(const OperandTypes& operands) const {
  Shape shape = operands[0].shape;
  RETURN_IF_ERROR(CheckAxis(axis, shape.size()));
  if (keep_dimension) {
    shape[axis] = 1;
  } else {
    shape.erase(shape.begin() + axis);
  }
  return ValueType{ElementType::kInt64, std::move(shape)};
}

}  // namespace tally::quant
