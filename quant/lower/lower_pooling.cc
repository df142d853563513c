// Pooling: maxima are exact on the grid, averages are an exact sum and one rescale.
#include <algorithm>

#include "base/status_macros.h"
#include "ops/linear/attrs.h"
#include "ops/pooling/attrs.h"
#include "ops/reduction/attrs.h"
#include "quant/lower/lowering.h"

namespace tally::quant {

absl::StatusOr<tally::ValueId> Lowering::Lower(const MaxPool2d& op, const Node& node, const QuantizedType&) {
  ASSIGN_OR_RETURN(const Lowered x, Operand(node, 0));
  // The smallest integer of the grid never wins, as the definition asks of the padding.
  const tally::ValueId padded = Padded(x.id, op.pad, x.type.interval.lo);
  return builder_.Op(Opcode::kMaxPool2d, {padded},
                     MaxPool2dAttrs{.pool_size = {op.kernel.y, op.kernel.x},
                                    .strides = {op.stride.y, op.stride.x},
                                    .padding = {0, 0},
                                    .ceil_mode = false});
}

namespace {

// How many elements of the window that starts at `start` lie inside [0, size).
int64_t Inside(int64_t start, int64_t kernel, int64_t size) {
  return std::min(start + kernel, size) - std::max<int64_t>(start, 0);
}

}  // namespace

absl::StatusOr<tally::ValueId> Lowering::Lower(const AveragePool2d& op, const Node& node,
                                               const QuantizedType& to) {
  ASSIGN_OR_RETURN(const Lowered x, Operand(node, 0));
  const auto shape = ShapeOfOperand(node, 0);
  const int64_t channels = shape[1], window = op.kernel.y * op.kernel.x;

  // The sum over each window is a depthwise convolution with ones; real 0 around it is the zero point.
  const int64_t ones_shape[] = {channels, 1, op.kernel.y, op.kernel.x};
  const std::vector<int64_t> ones(static_cast<size_t>(channels * window), 1);
  ASSIGN_OR_RETURN(const tally::ValueId weights, IntegerConstant(ones_shape, ones));
  const tally::ValueId sum = builder_.Op(
      Opcode::kConv2d, {Padded(x.id, op.pad, x.type.zero_point), weights},
      Conv2dAttrs{
          .padding = {0, 0}, .stride = {op.stride.y, op.stride.x}, .dilation = {1, 1}, .groups = channels});
  const double gain = x.type.scale / (static_cast<double>(window) * to.scale);
  const uint64_t magnitude =
      (x.type.interval.Magnitude() + static_cast<uint64_t>(std::abs(x.type.zero_point))) *
      static_cast<uint64_t>(window);
  if (op.count_include_pad || op.pad == Padding2d{}) {
    ASSIGN_OR_RETURN(const FixedMultiplier fixed, ToFixedMultiplier(gain, magnitude));
    return Rescale(sum, {.zero_in = window * x.type.zero_point, .gains = {fixed}}, to);
  }
  // The divisor varies at the border: scale each position by window / inside, in Q14, before the common
  // rescale.
  constexpr int kCountBits = 14;
  const auto out = std::span<const int64_t>(graph_.values[node.result].type.shape);
  std::vector<int64_t> ratios;
  for (int64_t oy = 0; oy < out[2]; ++oy) {
    for (int64_t ox = 0; ox < out[3]; ++ox) {
      const int64_t inside = Inside(oy * op.stride.y - op.pad.top, op.kernel.y, shape[2]) *
                             Inside(ox * op.stride.x - op.pad.left, op.kernel.x, shape[3]);
      ratios.push_back(((window << kCountBits) + inside / 2) / inside);
    }
  }
  const int64_t ratio_shape[] = {out[2], out[3]};
  ASSIGN_OR_RETURN(const tally::ValueId ratio, IntegerConstant(ratio_shape, ratios));
  const int64_t bound = static_cast<int64_t>(magnitude);
  ASSIGN_OR_RETURN(const tally::ValueId centered,
                   Rescale(sum, {.zero_in = window * x.type.zero_point, .gains = {{.multiplier = 1}}},
                           {1, 0, {-bound, bound}}));
  const tally::ValueId scaled = builder_.Op(Opcode::kBroadcastMul, {centered, ratio});
  const uint64_t scaled_magnitude =
      magnitude * static_cast<uint64_t>(*std::max_element(ratios.begin(), ratios.end()));
  ASSIGN_OR_RETURN(const FixedMultiplier fixed,
                   ToFixedMultiplier(gain / (1 << kCountBits), scaled_magnitude));
  return Rescale(scaled, {.gains = {fixed}}, to);
}

absl::StatusOr<tally::ValueId> Lowering::Lower(const GlobalAveragePool&, const Node& node,
                                               const QuantizedType& to) {
  ASSIGN_OR_RETURN(const Lowered x, Operand(node, 0));
  const auto shape = ShapeOfOperand(node, 0);
  const int64_t count = shape[2] * shape[3];
  const tally::ValueId sum = builder_.Op(
      Opcode::kReduce, {x.id}, ReduceAttrs{.kind = ReduceKind::kSum, .axes = {2, 3}, .keepdims = true});
  const uint64_t magnitude =
      (x.type.interval.Magnitude() + static_cast<uint64_t>(std::abs(x.type.zero_point))) *
      static_cast<uint64_t>(count);
  ASSIGN_OR_RETURN(const FixedMultiplier gain,
                   ToFixedMultiplier(x.type.scale / (static_cast<double>(count) * to.scale), magnitude));
  return Rescale(sum, {.zero_in = count * x.type.zero_point, .gains = {gain}}, to);
}

}  // namespace tally::quant
