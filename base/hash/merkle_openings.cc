#include "base/hash/merkle_openings.h"

#include <algorithm>
#include <bit>

#include "base/hash/merkle.h"

namespace tally {
namespace {

uint64_t LeftPart(uint64_t size) { return std::bit_floor(size - 1); }

// The siblings of the part of `size` leaves from `first` on; `opened` are in it.
void AddSiblings(uint64_t first, uint64_t size, std::span<const uint64_t> opened, const PartRoot& part,
                 std::vector<Digest>& siblings) {
  if (opened.empty()) return siblings.push_back(part(first, size));
  if (size == 1) return;
  const uint64_t left = LeftPart(size);
  const auto split = static_cast<size_t>(std::ranges::lower_bound(opened, first + left) - opened.begin());
  AddSiblings(first, left, opened.first(split), part, siblings);
  AddSiblings(first + left, size - left, opened.subspan(split), part, siblings);
}

// The root of a part of `size` leaves. Takes siblings from the front; null where they are too few.
std::optional<Digest> RootOfPart(uint64_t size, uint64_t first, std::span<const OpenedLeaf> opened,
                                 std::span<const Digest>& siblings) {
  if (opened.empty()) {
    if (siblings.empty()) return std::nullopt;
    const Digest root = siblings.front();
    siblings = siblings.subspan(1);
    return root;
  }
  if (size == 1) return opened.front().second;
  const uint64_t left = LeftPart(size);
  const auto in_left = [&](const OpenedLeaf& leaf) { return leaf.first < first + left; };
  const auto split = static_cast<size_t>(std::ranges::partition_point(opened, in_left) - opened.begin());
  const auto left_root = RootOfPart(left, first, opened.first(split), siblings);
  if (!left_root) return std::nullopt;
  const auto right_root = RootOfPart(size - left, first + left, opened.subspan(split), siblings);
  if (!right_root) return std::nullopt;
  return MerkleNodeHash(*left_root, *right_root);
}

}  // namespace

std::vector<Digest> OpeningSiblings(std::span<const Digest> leaf_hashes, std::span<const uint64_t> opened) {
  return OpeningSiblings(leaf_hashes.size(), opened, [&](uint64_t first, uint64_t size) {
    return MerkleRoot(leaf_hashes.subspan(first, size));
  });
}

std::vector<Digest> OpeningSiblings(uint64_t size, std::span<const uint64_t> opened, const PartRoot& part) {
  std::vector<Digest> siblings;
  AddSiblings(0, size, opened, part, siblings);
  return siblings;
}

std::vector<TreePart> PartsBelow(const TreePart& part, int levels) {
  if (levels == 0 || part.size == 1) return {part};
  const uint64_t left = LeftPart(part.size);
  std::vector<TreePart> parts = PartsBelow({part.first, left}, levels - 1);
  const std::vector<TreePart> right = PartsBelow({part.first + left, part.size - left}, levels - 1);
  parts.insert(parts.end(), right.begin(), right.end());
  return parts;
}

Digest RootOfParts(const TreePart& part, int levels, std::span<const Digest> roots) {
  if (levels == 0 || part.size == 1) return roots[0];
  const uint64_t left = LeftPart(part.size);
  const TreePart of_left = {part.first, left};
  const size_t in_left = PartsBelow(of_left, levels - 1).size();
  return MerkleNodeHash(
      RootOfParts(of_left, levels - 1, roots.first(in_left)),
      RootOfParts({part.first + left, part.size - left}, levels - 1, roots.subspan(in_left)));
}

std::optional<Digest> RootOfOpening(uint64_t size, std::span<const OpenedLeaf> opened,
                                    std::span<const Digest> siblings) {
  const auto ascends = [](const OpenedLeaf& a, const OpenedLeaf& b) { return a.first >= b.first; };
  if (opened.empty() || opened.back().first >= size ||
      std::ranges::adjacent_find(opened, ascends) != opened.end()) {
    return std::nullopt;
  }
  const std::optional<Digest> root = RootOfPart(size, 0, opened, siblings);
  return siblings.empty() ? root : std::nullopt;
}

}  // namespace tally
