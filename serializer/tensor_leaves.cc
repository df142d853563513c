#include "serializer/tensor_leaves.h"

#include <algorithm>

#include "base/int_math.h"

namespace tally {

TensorLeaves::TensorLeaves(Storage storage, const Shape& shape)
    : element_bytes_(SizeBytes(storage)), total_bytes_(shape.num_elements() * element_bytes_) {
  // A scalar is one fiber of one element.
  const int64_t fiber_bytes = element_bytes_ * (shape.rank() == 0 ? 1 : shape[shape.rank() - 1]);
  if (fiber_bytes >= kTensorLeafBytes) {
    group_bytes_ = fiber_bytes;
    leaves_per_group_ = CeilDiv(fiber_bytes, kTensorLeafBytes);
  } else {
    group_bytes_ = kTensorLeafBytes / fiber_bytes * fiber_bytes;
    leaves_per_group_ = 1;
  }
  count_ = CeilDiv(total_bytes_, group_bytes_) * leaves_per_group_;
}

int64_t TensorLeaves::LeafOf(int64_t element) const {
  const int64_t byte = element * element_bytes_;
  return byte / group_bytes_ * leaves_per_group_ + byte % group_bytes_ / kTensorLeafBytes;
}

std::span<const uint8_t> TensorLeaves::Bytes(const TensorView& tensor, int64_t leaf) const {
  const int64_t group = leaf / leaves_per_group_ * group_bytes_;
  const int64_t begin = group + leaf % leaves_per_group_ * kTensorLeafBytes;
  const int64_t end = std::min({begin + kTensorLeafBytes, group + group_bytes_, total_bytes_});
  return tensor.bytes.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
}

}  // namespace tally
