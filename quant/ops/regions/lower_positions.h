// Positions between pixels, for operators of the VM that take them as fixed-point numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "ops/composition.h"
#include "quant/lower/lowering.h"

namespace tally::quant {

// More bits than this after the point no operand of 16 bits has.
constexpr int kFinestFraction = 14;

// An operand that is a position; `scale` makes pixels of it.
struct PositionOperand {
  size_t index;
  double scale;
};

// The grid of 2^-fraction that holds what `x` does.
inline QuantizedType FixedPoint(const QuantizedType& x, int fraction) {
  const auto code = [&](int64_t c) {
    return std::clamp(std::ldexp(x.scale * static_cast<double>(c - x.zero_point), fraction), -0x1p60, 0x1p60);
  };
  return {std::ldexp(1, -fraction),
          0,
          {static_cast<int64_t>(std::floor(code(x.interval.lo))),
           static_cast<int64_t>(std::ceil(code(x.interval.hi)))}};
}

// A sample operator with positions of `fraction` bits after the point, its result with `result_fraction` more
// bits than x. The grid is the finest on which the sums of the operator keep within 64 bits:
// `attrs_of(fraction, result_fraction)` gives its attributes. `operands` has x centered, the others as they
// are.
template <typename AttrsOf>
absl::StatusOr<Lowered> LowerSampled(Lowering& lowering, const Node& node, Opcode op, const Lowered& x,
                                     const std::vector<PositionOperand>& positions, AttrsOf attrs_of) {
  std::vector<Lowered> operands = {x};
  for (size_t i = 1; i < node.operands.size(); ++i) {
    ASSIGN_OR_RETURN(const Lowered operand, lowering.Operand(node, i));
    operands.push_back(operand);
  }
  for (const PositionOperand& position : positions) {
    operands[position.index].type.scale *= position.scale;
  }
  absl::Status refused;
  for (int fraction = kFinestFraction; fraction >= 0; --fraction) {
    for (const int result_fraction : {fraction / 2, 0}) {
      Composition c(Profile::kCore);
      std::vector<Lowered> at = operands;
      bool fits = true;
      for (const PositionOperand& position : positions) {
        QuantizedType& type = at[position.index].type;
        type = FixedPoint(type, fraction);
        fits &= TensorLimit(Profile::kCore).Contains(type.interval);
      }
      if (!fits) break;
      std::vector<tally::Value> inputs;
      for (size_t i = 0; i < at.size(); ++i) {
        const auto shape = tally::Shape::Create(lowering.ShapeOfOperand(node, i));
        if (!shape.ok()) return MakeError(label::lower_shape, std::string(shape.status().message()));
        inputs.push_back(c.Input({*shape, at[i].type.interval}));
      }
      const auto attrs = attrs_of(fraction, result_fraction);
      const auto y = c.Apply(op, inputs, attrs);
      if (!y.ok()) {
        refused = y.status();
        continue;
      }
      std::vector<tally::ValueId> ids;
      for (size_t i = 0; i < at.size(); ++i) {
        ASSIGN_OR_RETURN(const tally::ValueId id, lowering.OnGrid(operands[i], at[i].type));
        ids.push_back(id);
      }
      const QuantizedType result = {std::ldexp(x.type.scale, -result_fraction), 0, c.interval(*y)};
      return Lowered{lowering.builder().Op(op, ids, attrs), result};
    }
  }
  return MakeError(
      label::lower_unsupported,
      std::string(OpName(node.op)) + ": no grid of its positions fits: " + std::string(refused.message()));
}

}  // namespace tally::quant
