#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "ops/normalization/attrs.h"
#include "quant/labels.h"
#include "quant/lower/lowering.h"
#include "quant/ops/groups.h"
#include "quant/ops/normalization/normalization_ops.h"
#include "quant/tensor/broadcast_index.h"

namespace tally::quant {
namespace {

constexpr int kPointBits = 20;  // for the operators' normalized values

// x on a grid whose sums of squares over `count` elements fit the operator, and its epsilon and guard bits
// there.
struct Rows {
  Lowered x;
  int64_t guard = 0;
  int64_t epsilon = 0;
};

QuantizedType Coarser(const QuantizedType& type, int bits) {
  if (bits == 0) return type;
  const Interval real = Minus(type.interval, type.zero_point);
  const auto lo = static_cast<int64_t>(std::floor(std::ldexp(static_cast<double>(real.lo), -bits)));
  const auto hi = static_cast<int64_t>(std::ceil(std::ldexp(static_cast<double>(real.hi), -bits)));
  return {std::ldexp(type.scale, bits), 0, {lo, hi}};
}

// C7 and C8 of layer_norm and rms_norm, with a bit to spare: the finest grid, from that of x on, and the most
// guard bits there.
absl::StatusOr<Rows> FitRows(Lowering& lowering, const Lowered& x, int64_t count, float epsilon,
                             bool is_centred) {
  constexpr double kMostSum = 0x1p31, kMostSquares = 0x1p61;
  constexpr int64_t kMostGuard = 10;
  // Then even the finest of all scales, of a tensor of zeros, has become ordinary.
  constexpr int kMostBits = 160;
  for (int bits = 0; bits < kMostBits; ++bits) {
    const QuantizedType type = Coarser(x.type, bits);
    const Interval distances = Minus(type.interval, type.zero_point);
    const double sum =
        static_cast<double>(count) * (is_centred ? static_cast<double>(distances.hi - distances.lo)
                                                 : static_cast<double>(distances.Magnitude()));
    const double unit = static_cast<double>(count) / type.scale;  // n's, the numerator
    const double added = epsilon * unit * unit;
    const double squares = (is_centred ? sum * sum / 4 : sum * sum) + added;
    if (sum >= kMostSum || !(squares < kMostSquares)) continue;
    Rows rows;
    while (rows.guard < kMostGuard &&
           std::ldexp(squares, static_cast<int>(2 * rows.guard + 2)) < kMostSquares) {
      ++rows.guard;
    }
    rows.epsilon = std::llround(std::ldexp(added, static_cast<int>(2 * rows.guard)));
    ASSIGN_OR_RETURN(rows.x.id, lowering.OnGrid(x, type));
    rows.x.type = type;
    return rows;
  }
  return MakeError(label::lower_unsupported, "the rows that it normalizes are too long");
}

// Scale and bias of the operator: their common shape, and round(gamma / so * 2^(shift - 20)), round(beta / so
// * 2^shift).
struct Affine {
  Shape shape = {1};
  std::vector<double> scale = {1}, bias = {0};
};

absl::StatusOr<Affine> AffineOf(const Lowering& lowering, const Node& node) {
  Affine affine;
  for (size_t i = 1; i < node.operands.size(); ++i) {
    ASSIGN_OR_RETURN(affine.shape, Broadcast(affine.shape, lowering.WeightOperand(node, i).shape));
  }
  const size_t size = static_cast<size_t>(NumElements(affine.shape));
  affine.scale.assign(size, 1);
  affine.bias.assign(size, 0);
  for (size_t i = 1; i < node.operands.size(); ++i) {
    const FloatTensor& weights = lowering.WeightOperand(node, i);
    const std::vector<int64_t> index = BroadcastIndex(weights.shape, affine.shape);
    for (size_t c = 0; c < size; ++c) (i == 1 ? affine.scale : affine.bias)[c] = weights.data[index[c]];
  }
  return affine;
}

// The largest shift for which multipliers of 31 bits do, and C9 with a bit to spare.
absl::StatusOr<int> ShiftFor(const Affine& affine, double step, int64_t count) {
  const double most_z = std::sqrt(static_cast<double>(count)) * (1 + 0x1p-20) + 0x1p-10;
  double multiplier = 0, result = 0;
  for (size_t c = 0; c < affine.scale.size(); ++c) {
    multiplier = std::max(multiplier, std::abs(affine.scale[c]) / step);
    result = std::max(result, (std::abs(affine.scale[c]) * most_z + std::abs(affine.bias[c])) / step);
  }
  for (int shift = 60; shift >= 0; --shift) {
    const bool fits =
        std::ldexp(multiplier, shift - kPointBits) < 0x1p30 && std::ldexp(result, shift) < 0x1p61;
    if (fits) return shift;
  }
  return MakeError(label::lower_gain, "its scale or bias is too large for the grid of its result");
}

LoweredResult LowerFeatureNorm(Lowering& lowering, const Node& node, const QuantizedType& to,
                               const std::vector<int64_t>& axes, float epsilon, bool is_centred) {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  const auto dims = lowering.ShapeOfOperand(node, 0);
  const int64_t count = GroupSize({dims.begin(), dims.end()}, axes);
  ASSIGN_OR_RETURN(const Rows rows, FitRows(lowering, x, count, epsilon, is_centred));
  ASSIGN_OR_RETURN(const Affine affine, AffineOf(lowering, node));
  ASSIGN_OR_RETURN(const int shift, ShiftFor(affine, to.scale, count));
  std::vector<int64_t> multipliers, addends;
  for (size_t c = 0; c < affine.scale.size(); ++c) {
    multipliers.push_back(std::llround(std::ldexp(affine.scale[c] / to.scale, shift - kPointBits)));
    addends.push_back(std::llround(std::ldexp(affine.bias[c] / to.scale, shift)));
  }
  ASSIGN_OR_RETURN(const tally::ValueId m, lowering.IntegerConstant(affine.shape, multipliers));
  ASSIGN_OR_RETURN(const tally::ValueId b, lowering.IntegerConstant(affine.shape, addends));
  RmsNormAttrs attrs;
  attrs.axes = axes;
  attrs.guard = rows.guard;
  attrs.epsilon = rows.epsilon;
  attrs.epsilon_mode = EpsilonMode::kAdded;
  attrs.shift = shift;
  attrs.zero_out = to.zero_point;
  attrs.lo = to.interval.lo;
  attrs.hi = to.interval.hi;
  attrs.zero_in = rows.x.type.zero_point;
  if (!is_centred) return lowering.builder().Op(Opcode::kRmsNorm, {rows.x.id, m, b}, attrs);
  return lowering.builder().Op(Opcode::kLayerNorm, {rows.x.id, m, b}, LayerNormAttrs(attrs));
}

}  // namespace

LoweredResult LayerNorm::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  return LowerFeatureNorm(lowering, node, to, axes, epsilon, /*is_centred=*/true);
}

LoweredResult RmsNorm::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  return LowerFeatureNorm(lowering, node, to, axes, epsilon, /*is_centred=*/false);
}

}  // namespace tally::quant
