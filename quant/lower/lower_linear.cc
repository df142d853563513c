// Conv2d, Dense and MatMul: an exact integer accumulation and one rescale.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/linear/attrs.h"
#include "quant/lower/lowering.h"

namespace tally::quant {
namespace {

// A bias in units of the accumulator stays within 2^30, so that it leaves room for the sum in 32 bits.
constexpr double kLargestBias = 0x1p30;

std::vector<double> SmallestScales(const FloatTensor* bias, double x_scale) {
  std::vector<double> scales;
  if (bias == nullptr) return scales;
  for (const float b : bias->data) {
    scales.push_back(std::max(std::abs(static_cast<double>(b)) / (x_scale * kLargestBias),
                              std::numeric_limits<double>::min()));
  }
  return scales;
}

}  // namespace

absl::StatusOr<Lowering::LinearLayer> Lowering::PrepareLinear(const Node& node, const QuantizedType& x,
                                                              const QuantizedType& to, bool centered) {
  const FloatTensor& weight = WeightOperand(node, 1);
  const FloatTensor* bias = node.operands.size() > 2 ? &WeightOperand(node, 2) : nullptr;
  const QuantizedWeights codes = QuantizeWeights(weight, 0, SmallestScales(bias, x.scale));
  const size_t channels = codes.scales.size();

  // sum (x - zx) w + b = sum x w + (b - zx * sum w): the zero point costs nothing at run time. An operator that centers x
  // itself takes b as it is.
  const int64_t zero = centered ? 0 : x.zero_point;
  const uint64_t x_magnitude =
      centered ? Minus(x.interval, x.zero_point).Magnitude() : x.interval.Magnitude();
  std::vector<int64_t> biases(channels, 0);
  LinearLayer layer;
  layer.requantization.axis = 1;
  for (size_t c = 0; c < channels; ++c) {
    const double accumulator_scale = x.scale * codes.scales[c];
    if (bias != nullptr) biases[c] = std::llround(static_cast<double>(bias->data[c]) / accumulator_scale);
    biases[c] -= zero * codes.code_sums[c];
    const uint64_t magnitude = x_magnitude * static_cast<uint64_t>(codes.magnitude_sums[c]) +
                               static_cast<uint64_t>(std::abs(biases[c]));
    ASSIGN_OR_RETURN(const FixedMultiplier gain, ToFixedMultiplier(accumulator_scale / to.scale, magnitude));
    layer.requantization.gains.push_back(gain);
  }
  ASSIGN_OR_RETURN(layer.weights, IntegerConstant(weight.shape, codes.codes));
  ASSIGN_OR_RETURN(layer.bias, VectorConstant(biases));
  return layer;
}

absl::StatusOr<tally::ValueId> Lowering::Lower(const Conv2d& op, const Node& node, const QuantizedType& to) {
  ASSIGN_OR_RETURN(const Lowered x, Operand(node, 0));
  const Padding2d& pad = op.pad;
  // conv2d pads both sides alike with the integer 0. Real 0 is the zero point of x, with which convolution pads.
  const bool by_conv2d =
      pad == Padding2d{} || (x.type.zero_point == 0 && pad.top == pad.bottom && pad.left == pad.right);
  ASSIGN_OR_RETURN(const LinearLayer layer, PrepareLinear(node, x.type, to, /*centered=*/!by_conv2d));
  const std::vector<tally::ValueId> operands = {x.id, layer.weights, layer.bias};
  const std::vector<int64_t> stride = {op.stride.y, op.stride.x}, dilation = {op.dilation.y, op.dilation.x};
  const tally::ValueId sum = by_conv2d ? builder_.Op(Opcode::kConv2d, operands,
                                                     Conv2dAttrs{.padding = {pad.top, pad.left},
                                                                 .stride = stride,
                                                                 .dilation = dilation,
                                                                 .groups = op.groups})
                                       : builder_.Op(Opcode::kConvolution, operands,
                                                     ConvolutionAttrs{.stride = stride,
                                                                      .dilation = dilation,
                                                                      .pad_begin = {pad.top, pad.left},
                                                                      .pad_end = {pad.bottom, pad.right},
                                                                      .groups = op.groups,
                                                                      .zero_x = x.type.zero_point});
  return Rescale(sum, layer.requantization, to);
}

absl::StatusOr<tally::ValueId> Lowering::Lower(const Dense&, const Node& node, const QuantizedType& to) {
  ASSIGN_OR_RETURN(const Lowered x, Operand(node, 0));
  ASSIGN_OR_RETURN(const LinearLayer layer, PrepareLinear(node, x.type, to, /*centered=*/false));
  return Rescale(builder_.Op(Opcode::kDense, {x.id, layer.weights, layer.bias}), layer.requantization, to);
}

absl::StatusOr<tally::ValueId> Lowering::Lower(const MatMul&, const Node& node, const QuantizedType& to) {
  ASSIGN_OR_RETURN(const Lowered a_raw, Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered a, Centered(a_raw));
  const int64_t inner = ShapeOfOperand(node, 0).back();
  const Tensor* constant = ConstantOf(graph_, node.operands[1]);
  if (constant != nullptr && ShapeOf(*constant).size() == 2) {  // weights [K, N]: a scale for each column
    const FloatTensor& weight = WeightOperand(node, 1);
    const QuantizedWeights codes = QuantizeWeights(weight, 1, {});
    Requantization how{.axis = -1};
    for (size_t c = 0; c < codes.scales.size(); ++c) {
      const uint64_t magnitude = a.type.interval.Magnitude() * static_cast<uint64_t>(codes.magnitude_sums[c]);
      ASSIGN_OR_RETURN(const FixedMultiplier gain,
                       ToFixedMultiplier(a.type.scale * codes.scales[c] / to.scale, magnitude));
      how.gains.push_back(gain);
    }
    ASSIGN_OR_RETURN(const tally::ValueId w, IntegerConstant(weight.shape, codes.codes));
    return Rescale(builder_.Op(Opcode::kMatmul, {a.id, w}, MatmulAttrs{}), how, to);
  }
  ASSIGN_OR_RETURN(const Lowered b_raw, Operand(node, 1));
  ASSIGN_OR_RETURN(const Lowered b, Centered(b_raw));
  const uint64_t magnitude =
      a.type.interval.Magnitude() * b.type.interval.Magnitude() * static_cast<uint64_t>(inner);
  ASSIGN_OR_RETURN(const FixedMultiplier gain,
                   ToFixedMultiplier(a.type.scale * b.type.scale / to.scale, magnitude));
  return Rescale(builder_.Op(Opcode::kMatmul, {a.id, b.id}, MatmulAttrs{}), {.gains = {gain}}, to);
}

}  // namespace tally::quant
