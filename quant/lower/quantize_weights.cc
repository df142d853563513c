#include "quant/lower/quantize_weights.h"

#include <algorithm>
#include <cmath>

#include "quant/lower/quantized_type.h"
#include "quant/lower/weight_scale.h"

namespace tally::quant {

QuantizedWeights QuantizeWeights(const FloatTensor& weights, int channel_axis,
                                 const std::vector<double>& smallest_scales) {
  const size_t channels = static_cast<size_t>(weights.shape[channel_axis]);
  size_t inner = 1;  // elements after the channel axis
  for (size_t axis = channel_axis + 1; axis < weights.shape.size(); ++axis) inner *= weights.shape[axis];
  const auto channel_of = [&](size_t i) { return i / inner % channels; };

  std::vector<std::vector<float>> by_channel(channels);
  for (size_t i = 0; i < weights.data.size(); ++i) by_channel[channel_of(i)].push_back(weights.data[i]);
  std::vector<QuantizedType> types;
  for (size_t c = 0; c < channels; ++c) {
    QuantizedType type = {.scale = ChooseWeightScale(by_channel[c]), .interval = {-127, 127}};
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

}  // namespace tally::quant
