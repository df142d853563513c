#include <utility>

#include "base/status_macros.h"
#include "quant/ops/gather/gather_ops.h"

namespace tally::quant {

TypeResult Gather::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  const Shape& indices = operands[1].shape;
  if (operands[1].element != ElementType::kInt64) {
    return MakeError(label::graph_element_type, "Gather: the indices are not int64");
  }
  RETURN_IF_ERROR(CheckAxis(axis, x.size()));
  Shape shape(x.begin(), x.begin() + axis);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), x.begin() + axis + 1, x.end());
  return ValueType{operands[0].element, std::move(shape)};
}

}  // namespace tally::quant
