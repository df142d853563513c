// Merkle trees exactly as in RFC 6962 section 2.1 (and RFC 9162), over SHA-256.
//
//   MerkleTree tree;
//   tree.AddLeaves(leaves.size(), [&](uint64_t i) { return leaves[i]; });  // many at once: the fast way
//   tree.AddLeaf(one_more);
//   const Digest root = tree.Root();
//
//   const std::vector<Digest> path = InclusionProof(leaf_hashes, index);
//   VerifyInclusion(leaf_hashes[index], index, leaf_hashes.size(), path, root);  // true
//
// A leaf hashes as SHA256(00 || leaf), an inner node as SHA256(01 || left || right), and no leaves as
// SHA256(""); a tree of n leaves splits at the largest power of two below n. The prefixes keep a node from
// passing as a leaf.
// A root does not fix the number of leaves by itself: whoever signs one hashes the count beside it.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/hash/digest.h"
#include "base/hash/sha256_batch.h"

namespace tally {

Digest MerkleLeafHash(std::span<const uint8_t> leaf);
Digest MerkleNodeHash(const Digest& left, const Digest& right);

// Where a tree of `size` >= 2 leaves splits: the largest power of two below size.
constexpr uint64_t MerkleSplitPoint(uint64_t size) { return std::bit_floor(size - 1); }

// The bytes of leaf i, of any size. Leaves are hashed several at a time, so the bytes of all of them stay
// where they are until the call that asks for them returns.
using LeafAt = std::function<std::span<const uint8_t>(uint64_t i)>;

std::vector<Digest> MerkleLeafHashes(uint64_t count, const LeafAt& leaf_at);

// Accepts leaves in order and keeps one digest for each power of two in their number.
class MerkleTree {
 public:
  MerkleTree() : MerkleTree(BestSha256Batch()) {}

  // A tree that has leaves already: the roots of the perfect trees that the bits of `size` name, largest
  // first.
  MerkleTree(uint64_t size, std::vector<Digest> perfect_roots);

  // With a given way to hash several leaves or nodes, for tests and benchmarks.
  explicit MerkleTree(const Sha256Batch& batch) : batch_(&batch) {}

  // The same as adding the leaves one at a time.
  void AddLeaves(uint64_t count, const LeafAt& leaf_at);
  void AddLeafHashes(std::span<const Digest> leaf_hashes);

  void AddLeaf(std::span<const uint8_t> leaf) { AddLeafHash(MerkleLeafHash(leaf)); }
  void AddLeafHash(const Digest& leaf_hash) { AddLeafHashes({&leaf_hash, 1}); }

  // The root of the leaves so far; more may follow.
  Digest Root() const;
  uint64_t size() const { return size_; }

 private:
  void Join(std::span<Digest> nodes);

  const Sha256Batch* batch_;
  std::vector<Digest> perfect_roots_;  // for the perfect subtrees that the bits of size_ name, largest first
  uint64_t size_ = 0;
};

Digest MerkleRoot(std::span<const Digest> leaf_hashes);

// The siblings of leaf `index` (< leaf_hashes.size()) on its way to the root, lowest first.
std::vector<Digest> InclusionProof(std::span<const Digest> leaf_hashes, uint64_t index);

// Whether `path` shows that leaf `index` of a tree of `size` leaves with this root has this hash. Any
// arguments are safe; an index beyond the size or a path of the wrong length is simply not a proof.
bool VerifyInclusion(const Digest& leaf_hash, uint64_t index, uint64_t size, std::span<const Digest> path,
                     const Digest& root);

// Whether `proof` shows that the tree of `size` leaves with this root begins with the one of `earlier` leaves
// (RFC 9162, 2.1.4.2). Any arguments are safe, as above. Every tree begins with the empty one.
bool VerifyConsistency(uint64_t earlier, const Digest& earlier_root, uint64_t size, const Digest& root,
                       std::span<const Digest> proof);

}  // namespace tally
