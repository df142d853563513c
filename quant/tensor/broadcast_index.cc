#include "quant/tensor/broadcast_index.h"

namespace tally::quant {

std::vector<int64_t> BroadcastIndex(const Shape& from, const Shape& to) {
  // Stride of each dimension of `to` inside `from`; 0 where `from` repeats.
  std::vector<int64_t> strides(to.size(), 0);
  int64_t stride = 1;
  for (size_t i = 1; i <= from.size(); ++i) {
    const int64_t dimension = from[from.size() - i];
    if (dimension > 1) strides[to.size() - i] = stride;
    stride *= dimension;
  }
  std::vector<int64_t> indices;
  indices.reserve(static_cast<size_t>(NumElements(to)));
  indices.push_back(0);
  // Extends the list dimension by dimension, the last one first: it varies fastest.
  for (size_t i = to.size(); i-- > 0;) {
    const size_t inner = indices.size();
    for (int64_t position = 1; position < to[i]; ++position) {
      for (size_t j = 0; j < inner; ++j) indices.push_back(indices[j] + position * strides[i]);
    }
  }
  return indices;
}

}  // namespace tally::quant
