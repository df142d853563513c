#include "base/status_macros.h"
#include "quant/graph/infer_rules.h"

namespace tally::quant {

TypeResult Infer(const Dense&, const OperandTypes& operands) {
  const Shape& x = operands[0].shape;
  const Shape& weight = operands[1].shape;
  if (x.size() != 2 || weight.size() != 2) {
    return BadShape("Dense takes x of rank 2 and weight of rank 2, not " + ToString(x) + " and " +
                    ToString(weight));
  }
  if (x[1] != weight[1]) {
    return BadShape("Dense: K of x " + ToString(x) + " and of weight " + ToString(weight) + " differ");
  }
  if (operands.size() == 3 && operands[2].shape != Shape{weight[0]}) {
    return BadShape("Dense: bias " + ToString(operands[2].shape) + " does not fit weight " +
                    ToString(weight));
  }
  return ValueType{ElementType::kFloat32, {x[0], weight[0]}};
}

TypeResult Infer(const MatMul&, const OperandTypes& operands) {
  const Shape& a = operands[0].shape;
  const Shape& b = operands[1].shape;
  if (a.size() < 2 || b.size() < 2) {
    return BadShape("MatMul takes operands of rank 2 and more, not " + ToString(a) + " and " + ToString(b));
  }
  if (a.back() != b[b.size() - 2]) {
    return BadShape("MatMul: K of " + ToString(a) + " and of " + ToString(b) + " differ");
  }
  ASSIGN_OR_RETURN(Shape shape, Broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2)));
  shape.push_back(a[a.size() - 2]);
  shape.push_back(b.back());
  return ValueType{ElementType::kFloat32, std::move(shape)};
}

}  // namespace tally::quant
