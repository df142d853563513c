#include <cmath>
#include <cstdlib>

#include "quant/ops/quantization/quantization_ops.h"

namespace tally::quant {

TypeResult FakeQuantize::Infer(const OperandTypes& operands) const {
  constexpr int64_t kMost = int64_t{1} << 30;
  const bool is_grid = std::isnormal(grid.scale) && grid.scale > 0 &&
                       RoundScaleUp(grid.scale) == grid.scale && grid.interval.lo <= grid.interval.hi &&
                       grid.interval.lo >= -kMost && grid.interval.hi <= kMost &&
                       std::abs(grid.zero_point) <= kMost;
  if (!is_grid) {
    return BadAttribute(
        "FakeQuantize: the scale is not a positive number of at most 24 bits, or the codes are beyond 2^30");
  }
  return operands[0];
}

}  // namespace tally::quant
