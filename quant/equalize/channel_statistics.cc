#include "quant/equalize/channel_statistics.h"

#include <algorithm>

#include "quant/equalize/channel_groups.h"

namespace tally::quant {

void ChannelStatistics::Add(const FloatTensor& tensor, size_t axis) {
  const auto channels = static_cast<size_t>(tensor.shape[axis]);
  const auto inner = static_cast<size_t>(InnerSize(tensor.shape, axis));
  for (auto* list : {&least, &most, &squares}) list->resize(channels, 0);
  for (size_t first = 0; first < tensor.data.size(); first += inner) {
    const size_t channel = first / inner % channels;
    for (size_t i = first; i < first + inner; ++i) {
      const double x = tensor.data[i];
      least[channel] = std::min(least[channel], x);
      most[channel] = std::max(most[channel], x);
      squares[channel] += x * x;
    }
  }
  elements += static_cast<double>(tensor.data.size() / channels);
}

}  // namespace tally::quant
