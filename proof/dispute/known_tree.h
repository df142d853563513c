// The parts of a committed tree that answers have shown.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include "base/hash/digest.h"
#include "base/hash/merkle_openings.h"
#include "proof/dispute/messages.h"

namespace tally {

class KnownTree {
 public:
  KnownTree(uint64_t count, const Digest& root) : count_(count) { roots_[All()] = root; }

  uint64_t count() const { return count_; }
  TreePart All() const { return {0, count_}; }

  // Null where the root of the part has not been shown.
  const Digest* Find(const TreePart& part) const {
    const auto found = roots_.find(part);
    return found == roots_.end() ? nullptr : &found->second;
  }

  // Whether these are the roots of the parts below one that is known; from then on they are known too.
  bool Learn(const TreePart& part, std::span<const Digest> roots) {
    const Digest* root = Find(part);
    if (root == nullptr || part.size < 2) return false;
    const std::vector<TreePart> below = PartsBelow(part, kLevelsOfAnswer);
    if (roots.size() != below.size() || RootOfParts(part, kLevelsOfAnswer, roots) != *root) return false;
    for (size_t i = 0; i < below.size(); ++i) roots_[below[i]] = roots[i];
    return true;
  }

  // The root of a part of which something is known: itself, or, further down, all that is in it. The first
  // `agreed` leaves are those of another tree, whose parts `ours` has.
  Digest RootOf(const TreePart& part, uint64_t agreed, const PartRoot& ours) const {
    if (const Digest* known = Find(part)) return *known;
    if (part.first + part.size <= agreed) return ours(part.first, part.size);
    const std::vector<TreePart> halves = PartsBelow(part, 1);
    const Digest roots[] = {RootOf(halves[0], agreed, ours), RootOf(halves[1], agreed, ours)};
    return RootOfParts(part, 1, roots);
  }

  // The first of the parts below one that is not the same in a tree of `count` leaves whose parts `ours` has.
  std::optional<TreePart> FirstDifference(const TreePart& part, uint64_t count, const PartRoot& ours) const {
    for (const TreePart& below : PartsBelow(part, kLevelsOfAnswer)) {
      if (below.first + below.size > count || *Find(below) != ours(below.first, below.size)) return below;
    }
    return std::nullopt;
  }

 private:
  uint64_t count_;
  std::map<TreePart, Digest> roots_;
};

}  // namespace tally
