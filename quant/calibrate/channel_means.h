// The mean of each channel of a value, which is axis 1, over any number of tensors.
#pragma once

#include <cstdint>
#include <vector>

#include "quant/tensor/tensor.h"

namespace tally::quant {

class ChannelMeans {
 public:
  // Tensors of one shape, of rank 2 at least.
  void Add(const FloatTensor& tensor);
  std::vector<float> Build() const;

 private:
  std::vector<double> sums_;
  int64_t elements_ = 0;  // per channel
};

}  // namespace tally::quant
