#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <variant>

#include "base/status_macros.h"
#include "ops/linear/attrs.h"
#include "quant/lower/bias_correction.h"
#include "quant/lower/file_weights.h"
#include "quant/lower/lowering.h"
#include "quant/ops/linear/linear_ops.h"

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

// Shared by convolutions and a dense layer: weights, bias with the input's zero point folded in, and the
// gains.
struct LinearLayer {
  std::vector<int64_t> codes;  // for the weights
  std::vector<int64_t> biases;
  Requantization requantization;
};

// The part of the places 0, stride, .. of a window that do not fall into padding, for each tap along one
// axis.
std::vector<double> SharesAlong(int64_t taps, int64_t stride, int64_t dilation, int64_t pad, int64_t in,
                                int64_t out) {
  std::vector<double> shares;
  for (int64_t tap = 0; tap < taps; ++tap) {
    int64_t inside = 0;
    for (int64_t y = 0; y < out; ++y) {
      const int64_t place = y * stride + tap * dilation - pad;
      inside += place >= 0 && place < in ? 1 : 0;
    }
    shares.push_back(static_cast<double>(inside) / static_cast<double>(out));
  }
  return shares;
}

// The mean error of each channel of `node`'s result from rounding its weights (bias_correction.h): nothing
// where it is not known.
absl::StatusOr<std::vector<double>> CorrectionOf(const Lowering& lowering, const Node& node,
                                                 const FloatTensor& weight, const QuantizedWeights& codes) {
  if (!TraitsOf(node.op).shifts) return std::vector<double>();
  ASSIGN_OR_RETURN(const std::span<const float> means, lowering.MeansOfOperand(node, 0));
  if (means.empty()) return std::vector<double>();
  std::vector<double> shares = {1};
  if (const auto* conv = std::get_if<Conv>(&node.op)) {
    const Shape& x = lowering.graph().values[node.operands[0]].type.shape;
    const Extents in = SpatialSize(x), out = SpatialSize(lowering.graph().values[node.result].type.shape);
    const Extents kernel = SpatialSize(weight.shape), &stride = conv->stride, &dilation = conv->dilation;
    const auto deep = SharesAlong(kernel.z, stride.z, dilation.z, conv->pad.front, in.z, out.z);
    const auto down = SharesAlong(kernel.y, stride.y, dilation.y, conv->pad.top, in.y, out.y);
    const auto across = SharesAlong(kernel.x, stride.x, dilation.x, conv->pad.left, in.x, out.x);
    shares.clear();
    for (const double a : deep) {
      for (const double b : down) {
        for (const double c : across) shares.push_back(a * b * c);
      }
    }
  }
  return BiasCorrection(weight, codes, means, shares);
}

// Onto a grid of a file a layer goes as runtimes of such files do; onto one of ours in double.
double GainOf(double x_scale, double weight_scale, const QuantizedType& to) {
  return to.rounding == Rounding::kHalfUp ? x_scale * weight_scale / to.scale
                                          : GainInFloat(x_scale, weight_scale, to.scale);
}

// The gain of each channel, from sums of up to these magnitudes. The sums are one value with one interval, so
// that the largest of them limits the multipliers of all.
absl::Status SetGains(double x_scale, const std::vector<double>& weight_scales,
                      const std::vector<uint64_t>& magnitudes, const QuantizedType& to, Requantization& how) {
  how.has_ties = false;
  for (size_t c = 0; c < weight_scales.size(); ++c) {
    ASSIGN_OR_RETURN(const FixedMultiplier gain,
                     ToFixedMultiplier(GainOf(x_scale, weight_scales[c], to), std::ranges::max(magnitudes),
                                       MultiplierBitsOnto(to)));
    how.gains.push_back(gain);
    how.has_ties |= CanTie(gain, magnitudes[c]);
  }
  return absl::OkStatus();
}

// Weights with their output channels first, as `of_file` has them, where that is not nullptr.
struct LayerWeights {
  const FloatTensor& floats;
  const ConstantCodes* of_file;
};

// `centered`: the operator takes the zero point off x, so the bias does not.
absl::StatusOr<LinearLayer> PrepareLinear(Lowering& lowering, const Node& node, const LayerWeights& weight,
                                          const QuantizedType& x, const QuantizedType& to, bool centered) {
  const FloatTensor* bias = node.operands.size() > 2 ? &lowering.WeightOperand(node, 2) : nullptr;
  const ConstantCodes* bias_of_file = bias == nullptr ? nullptr : lowering.CodesOfOperand(node, 2);
  // sum (x - zx) w + b = sum x w + (b - zx * sum w): the zero point costs nothing at run time. An operator
  // that centers x itself takes b as it is.
  const int64_t zero = centered ? 0 : x.zero_point;
  const uint64_t x_magnitude =
      centered ? Minus(x.interval, x.zero_point).Magnitude() : x.interval.Magnitude();
  QuantizedWeights codes;
  std::vector<double> correction;  // for weights that we rounded
  if (weight.of_file != nullptr) {
    ASSIGN_OR_RETURN(codes, FileWeights(*weight.of_file, weight.floats.shape, 0));
  } else {
    const int bits = lowering.WeightBits(node, weight.floats, 0, x_magnitude);
    codes = QuantizeWeights(weight.floats, 0, SmallestScales(bias, x.scale), bits);
    ASSIGN_OR_RETURN(correction, CorrectionOf(lowering, node, weight.floats, codes));
  }
  const size_t channels = codes.scales.size();

  LinearLayer layer = {.biases = std::vector<int64_t>(channels, 0)};
  std::vector<uint64_t> magnitudes;
  layer.requantization.axis = 1;
  for (size_t c = 0; c < channels; ++c) {
    const double accumulator_scale = x.scale * codes.scales[c];
    int64_t& sum = layer.biases[c];
    if (weight.of_file != nullptr || bias_of_file != nullptr) {
      if (bias != nullptr) {
        ASSIGN_OR_RETURN(sum, BiasInUnits(*bias, bias_of_file, c, accumulator_scale));
      }
    } else {
      const double real = (bias == nullptr ? 0 : static_cast<double>(bias->data[c])) +
                          (correction.empty() ? 0 : correction[c]);
      sum = std::llround(std::clamp(real / accumulator_scale, -kLargestBias, kLargestBias));
    }
    sum -= zero * codes.code_sums[c];
    magnitudes.push_back(x_magnitude * static_cast<uint64_t>(codes.magnitude_sums[c]) +
                         static_cast<uint64_t>(std::abs(sum)));
  }
  RETURN_IF_ERROR(SetGains(x.scale, codes.scales, magnitudes, to, layer.requantization));
  layer.codes = std::move(codes.codes);
  return layer;
}

// x, the weights in `shape`, and the bias.
absl::StatusOr<std::vector<tally::ValueId>> OperandsOf(Lowering& lowering, const Lowered& x,
                                                       const Shape& shape, const LinearLayer& layer) {
  ASSIGN_OR_RETURN(const tally::ValueId weights, lowering.IntegerConstant(shape, layer.codes));
  ASSIGN_OR_RETURN(const tally::ValueId bias, lowering.VectorConstant(layer.biases));
  return std::vector<tally::ValueId>{x.id, weights, bias};
}

// Elements [groups, a, b, taps] as [groups, b, a, taps].
template <typename T>
std::vector<T> SwapChannels(const std::vector<T>& elements, int64_t groups, int64_t a, int64_t b) {
  const int64_t taps = static_cast<int64_t>(elements.size()) / (groups * a * b);
  std::vector<T> swapped;
  swapped.reserve(elements.size());
  for (int64_t group = 0; group < groups; ++group) {
    for (int64_t j = 0; j < b; ++j) {
      for (int64_t i = 0; i < a; ++i) {
        const auto first = elements.begin() + ((group * a + i) * b + j) * taps;
        swapped.insert(swapped.end(), first, first + taps);
      }
    }
  }
  return swapped;
}

// The codes of weights [groups * in, out, taps] as of [groups * out, in, taps]. Scales along `out` are then
// along axis 0; others stay on an axis that no layer can have them on.
std::optional<ConstantCodes> CodesByOutput(const ConstantCodes* codes, int64_t groups, int64_t in,
                                           int64_t out) {
  if (codes == nullptr) return std::nullopt;
  ConstantCodes swapped = {SwapChannels(codes->codes, groups, in, out), codes->scales, codes->axis};
  if (codes->scales.size() == 1) return swapped;
  swapped.axis = codes->axis == 1 ? 0 : 1;
  if (codes->axis != 1) return swapped;
  for (int64_t group = 1; group < groups; ++group) {
    swapped.scales.insert(swapped.scales.end(), codes->scales.begin(), codes->scales.end());
  }
  return swapped;
}

}  // namespace

LoweredResult Conv::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  const FloatTensor& weight = lowering.WeightOperand(node, 1);
  const size_t rank = weight.shape.size();
  // conv2d pads both sides alike with the integer 0. Real 0 is the zero point of x, with which convolution
  // pads.
  const bool pads_alike = x.type.zero_point == 0 && pad.top == pad.bottom && pad.left == pad.right;
  const bool by_conv2d = rank == 4 && (pad == Pads{} || pads_alike);
  ASSIGN_OR_RETURN(const LinearLayer layer,
                   PrepareLinear(lowering, node, {weight, lowering.CodesOfOperand(node, 1)}, x.type, to,
                                 /*centered=*/!by_conv2d));
  ASSIGN_OR_RETURN(const std::vector<tally::ValueId> operands, OperandsOf(lowering, x, weight.shape, layer));
  const std::vector<int64_t> strides = ListOf(stride, rank), dilations = ListOf(dilation, rank);
  const tally::ValueId sum = by_conv2d
                                 ? lowering.builder().Op(Opcode::kConv2d, operands,
                                                         Conv2dAttrs{.padding = {pad.top, pad.left},
                                                                     .stride = strides,
                                                                     .dilation = dilations,
                                                                     .groups = groups})
                                 : lowering.builder().Op(Opcode::kConvolution, operands,
                                                         ConvolutionAttrs{.stride = strides,
                                                                          .dilation = dilations,
                                                                          .pad_begin = BeginsOf(pad, rank),
                                                                          .pad_end = EndsOf(pad, rank),
                                                                          .groups = groups,
                                                                          .zero_x = x.type.zero_point});
  return lowering.Rescale(sum, layer.requantization, to);
}

LoweredResult ConvTranspose::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  const FloatTensor& weight = lowering.WeightOperand(node, 1);
  const int64_t in = weight.shape[0] / groups, out = weight.shape[1];
  const size_t rank = weight.shape.size();
  FloatTensor by_output = {weight.shape, SwapChannels(weight.data, groups, in, out)};
  by_output.shape[0] = groups * out;
  by_output.shape[1] = in;
  const auto of_file = CodesByOutput(lowering.CodesOfOperand(node, 1), groups, in, out);
  ASSIGN_OR_RETURN(LinearLayer layer,
                   PrepareLinear(lowering, node, {by_output, of_file.has_value() ? &*of_file : nullptr},
                                 x.type, to, /*centered=*/true));
  layer.codes = SwapChannels(layer.codes, groups, out, in);
  ASSIGN_OR_RETURN(std::vector<tally::ValueId> operands, OperandsOf(lowering, x, weight.shape, layer));
  const ConvTransposeAttrs attrs = {.stride = ListOf(stride, rank),
                                    .dilation = ListOf(dilation, rank),
                                    .pad_begin = BeginsOf(pad, rank),
                                    .pad_end = EndsOf(pad, rank),
                                    .output_padding = ListOf(output_padding, rank),
                                    .groups = groups,
                                    .zero_x = x.type.zero_point};
  return lowering.Rescale(lowering.builder().Op(Opcode::kConvTranspose, std::move(operands), attrs),
                          layer.requantization, to);
}

LoweredResult Dense::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  const FloatTensor& weight = lowering.WeightOperand(node, 1);
  ASSIGN_OR_RETURN(const LinearLayer layer,
                   PrepareLinear(lowering, node, {weight, lowering.CodesOfOperand(node, 1)}, x.type, to,
                                 /*centered=*/false));
  ASSIGN_OR_RETURN(std::vector<tally::ValueId> operands, OperandsOf(lowering, x, weight.shape, layer));
  return lowering.Rescale(lowering.builder().Op(Opcode::kDense, std::move(operands)), layer.requantization,
                          to);
}

LoweredResult MatMul::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered a_raw, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered a, lowering.Centered(a_raw));
  const int64_t inner = lowering.ShapeOfOperand(node, 0).back();
  const Tensor* constant = ConstantOf(lowering.graph(), node.operands[1]);
  if (constant != nullptr && ShapeOf(*constant).size() == 2) {  // weights [K, N]: a scale for each column
    const FloatTensor& weight = lowering.WeightOperand(node, 1);
    QuantizedWeights codes;
    if (const ConstantCodes* of_file = lowering.CodesOfOperand(node, 1)) {
      ASSIGN_OR_RETURN(codes, FileWeights(*of_file, weight.shape, 1));
    } else {
      codes =
          QuantizeWeights(weight, 1, {}, lowering.WeightBits(node, weight, 1, a.type.interval.Magnitude()));
    }
    Requantization how{.axis = -1};
    std::vector<uint64_t> magnitudes;
    for (const int64_t sum : codes.magnitude_sums)
      magnitudes.push_back(a.type.interval.Magnitude() * static_cast<uint64_t>(sum));
    RETURN_IF_ERROR(SetGains(a.type.scale * factor, codes.scales, magnitudes, to, how));
    ASSIGN_OR_RETURN(const tally::ValueId w, lowering.IntegerConstant(weight.shape, codes.codes));
    return lowering.Rescale(lowering.builder().Op(Opcode::kMatmul, {a.id, w}, MatmulAttrs{}), how, to);
  }
  ASSIGN_OR_RETURN(const Lowered b_raw, lowering.Operand(node, 1));
  ASSIGN_OR_RETURN(const Lowered b, lowering.Centered(b_raw));
  const uint64_t magnitude =
      a.type.interval.Magnitude() * b.type.interval.Magnitude() * static_cast<uint64_t>(inner);
  ASSIGN_OR_RETURN(
      const FixedMultiplier gain,
      ToFixedMultiplier(GainOf(a.type.scale * factor, b.type.scale, to), magnitude, MultiplierBitsOnto(to)));
  return lowering.Rescale(lowering.builder().Op(Opcode::kMatmul, {a.id, b.id}, MatmulAttrs{}),
                          {.gains = {gain}, .has_ties = CanTie(gain, magnitude)}, to);
}

}  // namespace tally::quant
