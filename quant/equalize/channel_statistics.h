// The reach of each channel of a value, over any number of tensors.
#pragma once

#include <cstddef>
#include <vector>

#include "quant/tensor/tensor.h"

namespace tally::quant {

struct ChannelStatistics {
  std::vector<double> least, most;  // by channel, 0 among them
  std::vector<double> squares;      // by channel: the sum over all elements
  double elements = 0;              // that each channel had

  void Add(const FloatTensor& tensor, size_t axis);
};

}  // namespace tally::quant
