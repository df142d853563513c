#include "quant/lower/bias_correction.h"

namespace tally::quant {

std::vector<double> BiasCorrection(const FloatTensor& weight, const QuantizedWeights& codes,
                                   std::span<const float> means, std::span<const double> shares) {
  const size_t out_channels = static_cast<size_t>(weight.shape[0]),
               in_channels = static_cast<size_t>(weight.shape[1]);
  const size_t groups = means.size() / in_channels;
  std::vector<double> corrections;
  size_t i = 0;
  for (size_t oc = 0; oc < out_channels; ++oc) {
    const size_t group = oc / (out_channels / groups);
    double sum = 0;
    for (size_t ic = 0; ic < in_channels; ++ic) {
      double of_channel = 0;
      for (const double share : shares) {
        of_channel += (weight.data[i] - static_cast<double>(codes.codes[i]) * codes.scales[oc]) * share;
        ++i;
      }
      sum += of_channel * means[group * in_channels + ic];
    }
    corrections.push_back(sum);
  }
  return corrections;
}

}  // namespace tally::quant
