#include "base/merkle.h"

#include <bit>
#include <cassert>

#include "base/sha256.h"

namespace tally {
namespace {

constexpr uint8_t kLeafPrefix[] = {0x00};
constexpr uint8_t kNodePrefix[] = {0x01};

// Where a tree of `size` >= 2 leaves splits: the largest power of two below size.
uint64_t SplitPoint(uint64_t size) { return std::bit_floor(size - 1); }

}  // namespace

Digest MerkleLeafHash(std::span<const uint8_t> leaf) {
  Sha256 hash;
  hash.Update(kLeafPrefix);
  hash.Update(leaf);
  return hash.Finish();
}

Digest MerkleNodeHash(const Digest& left, const Digest& right) {
  Sha256 hash;
  hash.Update(kNodePrefix);
  hash.Update(left);
  hash.Update(right);
  return hash.Finish();
}

void MerkleTree::AddLeafHash(const Digest& leaf_hash) {
  // Counting up by one: each carry joins two perfect subtrees of equal size.
  Digest root = leaf_hash;
  for (uint64_t carries = size_; carries & 1; carries >>= 1) {
    root = MerkleNodeHash(perfect_roots_.back(), root);
    perfect_roots_.pop_back();
  }
  perfect_roots_.push_back(root);
  ++size_;
}

Digest MerkleTree::Root() const {
  if (perfect_roots_.empty()) return Sha256Hash({});
  Digest root = perfect_roots_.back();
  for (size_t i = perfect_roots_.size() - 1; i > 0; --i) root = MerkleNodeHash(perfect_roots_[i - 1], root);
  return root;
}

Digest MerkleRoot(std::span<const Digest> leaf_hashes) {
  MerkleTree tree;
  for (const Digest& leaf_hash : leaf_hashes) tree.AddLeafHash(leaf_hash);
  return tree.Root();
}

std::vector<Digest> InclusionProof(std::span<const Digest> leaf_hashes, uint64_t index) {
  assert(index < leaf_hashes.size());
  std::vector<Digest> from_root;
  while (leaf_hashes.size() > 1) {
    const uint64_t split = SplitPoint(leaf_hashes.size());
    const auto left = leaf_hashes.first(split);
    const auto right = leaf_hashes.subspan(split);
    from_root.push_back(MerkleRoot(index < split ? right : left));
    leaf_hashes = index < split ? left : right;
    if (index >= split) index -= split;
  }
  return {from_root.rbegin(), from_root.rend()};
}

bool VerifyInclusion(const Digest& leaf_hash, uint64_t index, uint64_t size, std::span<const Digest> path,
                     const Digest& root) {
  if (index >= size) return false;
  Digest node = leaf_hash;
  // `index` and `last` are the positions, on one level, of the node and of the level's last node.
  uint64_t last = size - 1;
  for (const Digest& sibling : path) {
    if (last == 0) return false;  // already at the root
    if (index & 1 || index == last) {
      node = MerkleNodeHash(sibling, node);
      // A last node without a sibling is its own parent, on as many levels as it stays alone.
      const int levels_alone = std::countr_zero(index);
      index >>= levels_alone;
      last >>= levels_alone;
    } else {
      node = MerkleNodeHash(node, sibling);
    }
    index >>= 1;
    last >>= 1;
  }
  return last == 0 && node == root;
}

}  // namespace tally
