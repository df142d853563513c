#include "base/tensor_leaves.h"

#include "base/int_math.h"
#include "base/merkle.h"

namespace tally {

TensorLeaves::TensorLeaves(Storage storage, const Shape& shape)
    : element_bytes_(SizeBytes(storage)), layout_{.total_bytes = shape.num_elements() * element_bytes_} {
  // A scalar is one fiber of one element.
  const int64_t fiber_bytes = element_bytes_ * (shape.rank() == 0 ? 1 : shape[shape.rank() - 1]);
  if (fiber_bytes >= kTensorLeafBytes) {
    layout_.group_bytes = fiber_bytes;
    layout_.leaves_per_group = CeilDiv(fiber_bytes, kTensorLeafBytes);
  } else {
    layout_.group_bytes = kTensorLeafBytes / fiber_bytes * fiber_bytes;
    layout_.leaves_per_group = 1;
  }
  count_ = CeilDiv(layout_.total_bytes, layout_.group_bytes) * layout_.leaves_per_group;
}

int64_t TensorLeaves::LeafOf(int64_t element) const {
  const int64_t byte = element * element_bytes_;
  return byte / layout_.group_bytes * layout_.leaves_per_group +
         byte % layout_.group_bytes / kTensorLeafBytes;
}

std::span<const uint8_t> TensorLeaves::Bytes(const TensorView& tensor, int64_t leaf) const {
  const auto [begin, size] = layout_.At(leaf);
  return tensor.bytes.subspan(static_cast<size_t>(begin), static_cast<size_t>(size));
}

Digest TensorRoot(const TensorView& tensor) {
  const TensorLeaves leaves(tensor.storage, tensor.shape);
  MerkleTree tree;
  tree.AddLeaves(leaves.count(), [&](uint64_t i) { return leaves.Bytes(tensor, i); });
  return tree.Root();
}

}  // namespace tally
