#include "quant/calibrate/channel_means.h"

namespace tally::quant {

void ChannelMeans::Add(const FloatTensor& tensor) {
  const size_t channels = static_cast<size_t>(tensor.shape[1]);
  size_t inner = 1;
  for (size_t axis = 2; axis < tensor.shape.size(); ++axis) inner *= static_cast<size_t>(tensor.shape[axis]);
  sums_.resize(channels);
  const float* x = tensor.data.data();
  for (int64_t n = 0; n < tensor.shape[0]; ++n) {
    for (double& sum : sums_) {
      double of_plane = 0;
      for (size_t i = 0; i < inner; ++i) of_plane += x[i];
      sum += of_plane;
      x += inner;
    }
  }
  elements_ += tensor.shape[0] * static_cast<int64_t>(inner);
}

std::vector<float> ChannelMeans::Build() const {
  std::vector<float> means;
  for (const double sum : sums_) means.push_back(static_cast<float>(sum / static_cast<double>(elements_)));
  return means;
}

}  // namespace tally::quant
