// Several leaves of one Merkle tree, shown at once (docs/spec/commitment.md#openings).
//
//   const std::vector<Digest> siblings = OpeningSiblings(leaf_hashes, {3, 4, 17});
//   RootOfOpening(leaf_hashes.size(), opened, siblings) == root;
//
// A tree of n > 1 leaves is its left part, of the largest power of two below n, and its right part. The
// siblings are the roots of the parts without an opened leaf next to a part with one, from left to right.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/hash/digest.h"

namespace tally {

// A leaf that is shown: its number, and its MerkleLeafHash.
using OpenedLeaf = std::pair<uint64_t, Digest>;

// `opened` ascends, below leaf_hashes.size().
std::vector<Digest> OpeningSiblings(std::span<const Digest> leaf_hashes, std::span<const uint64_t> opened);

// The same for who has the roots of parts instead of the hashes of leaves: part(first, size) is the root of
// the leaves from `first` on.
using PartRoot = std::function<Digest(uint64_t first, uint64_t size)>;
std::vector<Digest> OpeningSiblings(uint64_t size, std::span<const uint64_t> opened, const PartRoot& part);

// A part of a tree: the leaves from `first` on that a node is over.
struct TreePart {
  uint64_t first = 0, size = 0;

  friend auto operator<=>(const TreePart&, const TreePart&) = default;
};

// The parts `levels` levels below a part, from left to right, and those of one leaf above that.
std::vector<TreePart> PartsBelow(const TreePart& part, int levels);

// The root of a part, from those of the parts `levels` levels below. `roots` are as many as they.
Digest RootOfParts(const TreePart& part, int levels, std::span<const Digest> roots);

// The root of the tree of `size` leaves of which these are opened. Nothing, unless there is one at least,
// their numbers ascend below `size`, and the siblings are as many as they have. Any arguments are safe.
std::optional<Digest> RootOfOpening(uint64_t size, std::span<const OpenedLeaf> opened,
                                    std::span<const Digest> siblings);

}  // namespace tally
