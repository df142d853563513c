#include "base/status_macros.h"
#include "quant/ops/detection/detection_ops.h"

namespace tally::quant {

TypeResult CtcGreedyDecoder::Infer(const OperandTypes& operands) const {
  const Shape& x = operands[0].shape;
  if (x.size() != 3) return BadShape("CtcGreedyDecoder takes x [T, N, C], not " + ToString(x));
  if (operands[0].element != ElementType::kFloat32) {
    return MakeError(label::graph_element_type, "CtcGreedyDecoder: x holds no floats");
  }
  if (!InRange(blank, 0)) return BadAttribute("CtcGreedyDecoder: blank is out of range");
  if (operands.size() == 2) {
    if (operands[1].element != ElementType::kInt64) {
      return MakeError(label::graph_element_type, "CtcGreedyDecoder: the mask is not int64");
    }
    if (operands[1].shape != Shape{x[0], x[1]}) {
      return BadShape("CtcGreedyDecoder: mask " + ToString(operands[1].shape) + " for x " + ToString(x));
    }
  }
  if (result == CtcResult::kLength) return ValueType{ElementType::kInt64, {x[1]}};
  return ValueType{ElementType::kInt64, {x[1], x[0]}};
}

std::optional<Interval> CtcGreedyDecoder::IntervalFrom(OperandIntervals, const OperandTypes& types) const {
  if (result == CtcResult::kLength) return Interval{0, types[0].shape[0]};
  return Interval{-1, types[0].shape[2] - 1};
}

}  // namespace tally::quant
