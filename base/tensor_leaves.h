// How the bytes of a tensor are cut into the leaves of its Merkle tree (docs/spec/commitment.md#leaves).
//
//   const TensorLeaves leaves(view.storage, view.shape);
//   tree.AddLeaves(leaves.count(), [&](uint64_t i) { return leaves.Bytes(view, i); });
//
// A fiber is a run along the innermost axis. A leaf is at most 1 KiB and follows fibers: either several whole
// fibers, or a part of one. So the row of weights that makes one output is a range of leaves of its own.
#pragma once

#include <cstdint>
#include <span>

#include "base/digest.h"
#include "base/leaf_layout.h"
#include "base/tensor.h"

namespace tally {

class TensorLeaves {
 public:
  TensorLeaves(Storage storage, const Shape& shape);

  int64_t count() const { return count_; }
  const LeafLayout& layout() const { return layout_; }

  // The leaf that holds all bytes of `element` (row-major index).
  int64_t LeafOf(int64_t element) const;

  // The bytes of a leaf; `tensor` has the storage and the shape that the leaves were made for.
  std::span<const uint8_t> Bytes(const TensorView& tensor, int64_t leaf) const;

 private:
  int64_t element_bytes_;
  LeafLayout layout_;
  int64_t count_;
};

// The root of the tree over the leaves.
Digest TensorRoot(const TensorView& tensor);

}  // namespace tally
