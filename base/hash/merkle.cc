#include "base/hash/merkle.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "base/hash/sha256.h"

namespace tally {
namespace {

constexpr uint8_t kLeafPrefix = 0x00;
constexpr uint8_t kNodePrefix = 0x01;

// Leaves that are hashed before they are joined: enough to fill the lanes on most levels, few enough for
// their 32 KiB of digests to stay in the nearest caches.
constexpr uint64_t kChunkSize = 1024;

static_assert(sizeof(Digest[2]) == 64, "a pair of nodes is one message");

Digest HashOne(uint8_t prefix, std::span<const uint8_t> message) {
  Sha256 hash;
  hash.Update({&prefix, 1});
  hash.Update(message);
  return hash.Finish();
}

// digests[i] = SHA256(prefix || message_at(i)) for i < count. A digest may overlay the messages of its own or
// an earlier group of lanes.
template <typename MessageAt>
void HashMany(const Sha256Batch& batch, uint8_t prefix, uint64_t count, MessageAt message_at,
              Digest* digests) {
  for (uint64_t begin = 0; begin < count; begin += batch.lanes) {
    const size_t in_group = std::min<uint64_t>(batch.lanes, count - begin);
    if (in_group == 1 && batch.lanes > 1) {  // lanes do not help a single message
      digests[begin] = HashOne(prefix, message_at(begin));
      continue;
    }
    Sha256Message messages[kMaxSha256Lanes];
    for (size_t i = 0; i < in_group; ++i) {
      const std::span<const uint8_t> message = message_at(begin + i);
      messages[i] = {message.data(), message.size()};
    }
    batch.hash(prefix, messages, in_group, digests[begin].data());
  }
}

}  // namespace

Digest MerkleLeafHash(std::span<const uint8_t> leaf) { return HashOne(kLeafPrefix, leaf); }

Digest MerkleNodeHash(const Digest& left, const Digest& right) {
  Sha256 hash;
  hash.Update({&kNodePrefix, 1});
  hash.Update(left);
  hash.Update(right);
  return hash.Finish();
}

std::vector<Digest> MerkleLeafHashes(uint64_t count, const LeafAt& leaf_at) {
  std::vector<Digest> hashes(count);
  HashMany(BestSha256Batch(), kLeafPrefix, count, leaf_at, hashes.data());
  return hashes;
}

MerkleTree::MerkleTree(uint64_t size, std::vector<Digest> perfect_roots)
    : batch_(&BestSha256Batch()), perfect_roots_(std::move(perfect_roots)), size_(size) {
  assert(static_cast<int>(perfect_roots_.size()) == std::popcount(size));
}

void MerkleTree::AddLeaves(uint64_t count, const LeafAt& leaf_at) {
  std::vector<Digest> nodes(1 + std::min(count, kChunkSize));
  for (uint64_t begin = 0; begin < count; begin += kChunkSize) {
    const uint64_t in_chunk = std::min(count - begin, kChunkSize);
    const auto leaf_of_chunk = [&](uint64_t i) { return leaf_at(begin + i); };
    HashMany(*batch_, kLeafPrefix, in_chunk, leaf_of_chunk, &nodes[1]);
    Join(std::span(nodes).first(1 + in_chunk));
  }
}

void MerkleTree::AddLeafHashes(std::span<const Digest> leaf_hashes) {
  std::vector<Digest> nodes;
  for (; !leaf_hashes.empty(); leaf_hashes = leaf_hashes.subspan(nodes.size() - 1)) {
    nodes.resize(1 + std::min<uint64_t>(leaf_hashes.size(), kChunkSize));
    std::copy_n(leaf_hashes.begin(), nodes.size() - 1, nodes.begin() + 1);
    Join(nodes);
  }
}

// Appends leaves whose hashes are nodes[1 ...], level by level and in place; nodes[0] is room for the left
// sibling that may be waiting. This is binary addition: a perfect root is a bit of the old size, a node left
// over on a level a bit of the new one.
void MerkleTree::Join(std::span<Digest> nodes) {
  uint64_t count = nodes.size() - 1;
  const uint64_t old_size = std::exchange(size_, size_ + count);
  std::vector<Digest> left_over;
  for (int level = 0; count > 0; ++level) {
    Digest* first = &nodes[1];
    if (old_size >> level & 1) {
      *--first = perfect_roots_.back();
      perfect_roots_.pop_back();
      ++count;
    }
    if (count & 1) left_over.push_back(first[count - 1]);
    count /= 2;
    const auto pair_at = [&](uint64_t i) { return std::span(first[2 * i].data(), sizeof(Digest[2])); };
    HashMany(*batch_, kNodePrefix, count, pair_at, &nodes[1]);
  }
  perfect_roots_.insert(perfect_roots_.end(), left_over.rbegin(), left_over.rend());
}

Digest MerkleTree::Root() const {
  if (perfect_roots_.empty()) return Sha256Hash({});
  Digest root = perfect_roots_.back();
  for (size_t i = perfect_roots_.size() - 1; i > 0; --i) root = MerkleNodeHash(perfect_roots_[i - 1], root);
  return root;
}

Digest MerkleRoot(std::span<const Digest> leaf_hashes) {
  MerkleTree tree;
  tree.AddLeafHashes(leaf_hashes);
  return tree.Root();
}

std::vector<Digest> InclusionProof(std::span<const Digest> leaf_hashes, uint64_t index) {
  assert(index < leaf_hashes.size());
  std::vector<Digest> from_root;
  while (leaf_hashes.size() > 1) {
    const uint64_t split = MerkleSplitPoint(leaf_hashes.size());
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

bool VerifyConsistency(uint64_t earlier, const Digest& earlier_root, uint64_t size, const Digest& root,
                       std::span<const Digest> proof) {
  if (earlier > size) return false;
  if (earlier == size) return proof.empty() && earlier_root == root;
  if (earlier == 0) return proof.empty() && earlier_root == Sha256Hash({});
  // A perfect tree is the first node of the path itself.
  const bool is_perfect = std::has_single_bit(earlier);
  if (proof.empty() && !is_perfect) return false;
  const Digest& first = is_perfect ? earlier_root : proof[0];
  std::span<const Digest> path = is_perfect ? proof : proof.subspan(1);
  uint64_t node = earlier - 1, last = size - 1;
  const int up = std::countr_one(node);
  node >>= up;
  last >>= up;
  Digest old_root = first, new_root = first;
  for (const Digest& sibling : path) {
    if (last == 0) return false;
    if ((node & 1) != 0 || node == last) {
      old_root = MerkleNodeHash(sibling, old_root);
      new_root = MerkleNodeHash(sibling, new_root);
      while ((node & 1) == 0 && node != 0) {
        node >>= 1;
        last >>= 1;
      }
    } else {
      new_root = MerkleNodeHash(new_root, sibling);
    }
    node >>= 1;
    last >>= 1;
  }
  return last == 0 && old_root == earlier_root && new_root == root;
}

}  // namespace tally
