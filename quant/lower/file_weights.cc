#include "quant/lower/file_weights.h"

#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/strings.h"
#include "quant/labels.h"

namespace tally::quant {

absl::StatusOr<QuantizedWeights> FileWeights(const ConstantCodes& codes, const Shape& shape,
                                             int channel_axis) {
  if (codes.scales.size() > 1 && codes.axis != channel_axis) {
    return MakeError(
        label::lower_unsupported,
        absl::StrCat("the file has scales of its weights along axis ", codes.axis,
                     ", and a sum needs one scale for all that it adds: quantize them along axis ",
                     channel_axis, ", that of the output channels, or per tensor"));
  }
  const size_t channels = static_cast<size_t>(shape[channel_axis]);
  size_t inner = 1;  // elements after the channel axis
  for (size_t axis = channel_axis + 1; axis < shape.size(); ++axis) inner *= static_cast<size_t>(shape[axis]);
  QuantizedWeights weights = {.codes = {codes.codes.begin(), codes.codes.end()},
                              .scales = codes.scales,
                              .code_sums = std::vector<int64_t>(channels, 0),
                              .magnitude_sums = std::vector<int64_t>(channels, 0)};
  weights.scales.resize(channels, codes.scales[0]);
  for (size_t i = 0; i < weights.codes.size(); ++i) {
    const size_t c = i / inner % channels;
    weights.code_sums[c] += weights.codes[i];
    weights.magnitude_sums[c] += std::abs(weights.codes[i]);
  }
  return weights;
}

absl::StatusOr<int64_t> BiasInUnits(const FloatTensor& bias, const ConstantCodes* codes, size_t channel,
                                    double accumulator_scale) {
  constexpr double kSameScale = 0x1p-22;  // a product in float32 is within 2^-24 of itself
  constexpr double kMost = 0x1p50;
  if (codes != nullptr) {
    const bool has_one = codes->scales.size() == 1;
    const double scale = codes->scales[has_one ? 0 : channel];
    if ((has_one || codes->axis == 0) &&
        std::abs(scale - accumulator_scale) <= kSameScale * accumulator_scale) {
      return codes->codes[channel];
    }
  }
  const double units = static_cast<double>(bias.data[channel]) / accumulator_scale;
  if (!(std::abs(units) < kMost)) {
    return MakeError(
        label::lower_gain,
        absl::StrCat("a bias of ", bias.data[channel], " is too many steps of ", accumulator_scale,
                     ", the product of the scales of what the layer reads and its weights"));
  }
  return std::llround(units);
}

}  // namespace tally::quant
