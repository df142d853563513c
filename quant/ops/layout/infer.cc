#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "quant/ops/layout/layout_ops.h"

namespace tally::quant {

TypeResult Reshape::Infer(const OperandTypes& operands) const {
  const ValueType& x = operands[0];
  RETURN_IF_ERROR(CheckShape(shape));
  if (NumElements(shape) != NumElements(x.shape)) {
    return BadShape("Reshape: " + ToString(x.shape) + " and " + ToString(shape) + " differ in size");
  }
  return ValueType{x.element, shape};
}

TypeResult Transpose::Infer(const OperandTypes& operands) const {
  const ValueType& x = operands[0];
  const size_t rank = x.shape.size();
  std::vector<bool> seen(rank, false);
  Shape shape;
  for (const int64_t axis : permutation) {
    RETURN_IF_ERROR(CheckAxis(axis, rank));
    if (seen[axis]) return BadAttribute("Transpose: axis " + std::to_string(axis) + " occurs twice");
    seen[axis] = true;
    shape.push_back(x.shape[axis]);
  }
  if (shape.size() != rank) {
    return BadAttribute("Transpose: the permutation has " + std::to_string(shape.size()) + " axes, x has " +
                        std::to_string(rank));
  }
  return ValueType{x.element, std::move(shape)};
}

TypeResult Concat::Infer(const OperandTypes& operands) const {
  ValueType result = operands[0];
  RETURN_IF_ERROR(CheckAxis(axis, result.shape.size()));
  for (size_t i = 1; i < operands.size(); ++i) {
    if (operands[i].element != result.element) {
      return MakeError(label::graph_element_type, "Concat: operands differ in element type");
    }
    Shape expected = result.shape;
    const Shape& shape = operands[i].shape;
    if (shape.size() == expected.size()) expected[axis] = shape[axis];
    if (shape != expected) {
      return BadShape("Concat: operands " + ToString(operands[0].shape) + " and " + ToString(shape) +
                      " differ beside axis " + std::to_string(axis));
    }
    result.shape[axis] += shape[axis];
    if (result.shape[axis] > kMaxElements)
      return MakeError(label::graph_size, "Concat: the result is too large");
  }
  return result;
}

TypeResult Constant::Infer(const OperandTypes&) const { return TypeOf(*value); }

}  // namespace tally::quant
