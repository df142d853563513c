// The tree over the leaves of a tensor that is at hand.
//
//   const LeafTree tree(tensor.view(), CommittedLayout(tensor.shape()));
//   tree.Part(0, tree.count()) == ValueRoot(tensor.view());
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash/merkle.h"
#include "base/hash/tensor_leaves.h"
#include "base/tensor.h"

namespace tally {

class LeafTree {
 public:
  LeafTree(const TensorView& tensor, Layout layout)
      : leaves_(tensor.storage, tensor.shape, layout),
        bytes_(BytesOfLeaves(tensor, layout)),
        hashes_(MerkleLeafHashes(count(), [this](uint64_t leaf) { return Leaf(leaf); })) {}
  LeafTree(const LeafTree&) = delete;

  const TensorLeaves& leaves() const { return leaves_; }
  uint64_t count() const { return static_cast<uint64_t>(leaves_.count()); }

  std::span<const uint8_t> Leaf(uint64_t leaf) const {
    const auto [begin, size] = leaves_.cuts().At(static_cast<int64_t>(leaf));
    return std::span(bytes_).subspan(static_cast<size_t>(begin), static_cast<size_t>(size));
  }
  // The root of `size` leaves from `first` on.
  Digest Part(uint64_t first, uint64_t size) const {
    return MerkleRoot(std::span(hashes_).subspan(first, size));
  }

 private:
  TensorLeaves leaves_;
  std::vector<uint8_t> bytes_;
  std::vector<Digest> hashes_;
};

}  // namespace tally
