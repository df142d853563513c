#include "quant/lower/quantize_weights.h"

#include <algorithm>
#include <cmath>

#include "quant/grid/quantized_type.h"
#include "quant/lower/weight_scale.h"

namespace tally::quant {
namespace {

// The channel of an element.
auto ChannelOf(const FloatTensor& weights, int axis) {
  size_t inner = 1;  // elements after the axis
  for (size_t after = axis + 1; after < weights.shape.size(); ++after) inner *= weights.shape[after];
  return
      [inner, channels = static_cast<size_t>(weights.shape[axis])](size_t i) { return i / inner % channels; };
}

}  // namespace

QuantizedWeights QuantizeWeights(const FloatTensor& weights, int channel_axis,
                                 const std::vector<double>& smallest_scales, int bits) {
  const size_t channels = static_cast<size_t>(weights.shape[channel_axis]);
  const auto channel_of = ChannelOf(weights, channel_axis);

  std::vector<std::vector<float>> by_channel(channels);
  for (size_t i = 0; i < weights.data.size(); ++i) by_channel[channel_of(i)].push_back(weights.data[i]);
  std::vector<QuantizedType> types;
  for (size_t c = 0; c < channels; ++c) {
    QuantizedType type = ChooseSymmetric(0, bits);
    type.scale = ChooseWeightScale(by_channel[c], bits);
    if (!smallest_scales.empty()) type.scale = std::max(type.scale, RoundScaleUp(smallest_scales[c]));
    types.push_back(type);
  }

  QuantizedWeights result;
  result.code_sums.assign(channels, 0);
  result.magnitude_sums.assign(channels, 0);
  for (const QuantizedType& type : types) result.scales.push_back(type.scale);
  result.codes.reserve(weights.data.size());
  for (size_t i = 0; i < weights.data.size(); ++i) {
    const size_t c = channel_of(i);
    const int64_t code = types[c].Quantize(weights.data[i]);
    result.codes.push_back(code);
    result.code_sums[c] += code;
    result.magnitude_sums[c] += std::abs(code);
  }
  return result;
}

int WideWeightBits(const FloatTensor& weights, int channel_axis, uint64_t x_magnitude) {
  constexpr int kLeastBits = 10;
  const QuantizedWeights finest = QuantizeWeights(weights, channel_axis, {}, kWideBits);
  const double sum =
      static_cast<double>(x_magnitude) * static_cast<double>(std::ranges::max(finest.magnitude_sums));
  const auto bits_within = [&](double most) {
    return kWideBits - std::max(0, static_cast<int>(std::ceil(std::log2(std::max(sum, 1.0) / most))));
  };
  const int bits = bits_within(0x1p30);  // as much again is left for the bias
  return bits >= kLeastBits ? bits : std::max(bits_within(0x1p44), kWeightBits);
}

FloatTensor RoundedWeights(const FloatTensor& weights, int channel_axis) {
  const QuantizedWeights codes = QuantizeWeights(weights, channel_axis, {});
  const auto channel_of = ChannelOf(weights, channel_axis);
  FloatTensor rounded = {weights.shape, {}};
  rounded.data.reserve(weights.data.size());
  for (size_t i = 0; i < weights.data.size(); ++i) {
    rounded.data.push_back(
        static_cast<float>(static_cast<double>(codes.codes[i]) * codes.scales[channel_of(i)]));
  }
  return rounded;
}

}  // namespace tally::quant
