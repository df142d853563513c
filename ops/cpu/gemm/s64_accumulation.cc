#include "ops/cpu/gemm/s64_accumulation.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace tally {
namespace {

// Numbers of 32 bits distinguish what is within.
constexpr uint64_t kMostWidth = (int64_t{1} << 32) - 1;

Interval Times(const Interval& x, int64_t w) {
  return {std::min(x.lo * w, x.hi * w), std::max(x.lo * w, x.hi * w)};
}
Interval Plus(const Interval& a, const Interval& b) { return {a.lo + b.lo, a.hi + b.hi}; }
bool Fits(const Interval& acc) { return acc.Width() <= kMostWidth; }

// The sum of the K-groups of a column, in blocks of 1, 2, 4, .. of them; every step joins its hulls.
void JoinBlocks(std::vector<Interval> blocks, std::vector<Interval>& hulls) {
  for (size_t level = 0;; ++level) {
    Interval hull = blocks[0];
    for (const Interval& block : blocks) hull = hull.Hull(block);
    if (level == hulls.size()) hulls.push_back(hull);
    hulls[level] = hulls[level].Hull(hull);
    if (blocks.size() == 1 || !Fits(hull)) return;
    for (size_t i = 0; 2 * i < blocks.size(); ++i) {
      blocks[i] = 2 * i + 1 < blocks.size() ? Plus(blocks[2 * i], blocks[2 * i + 1]) : blocks[2 * i];
    }
    blocks.resize((blocks.size() + 1) / 2);
  }
}

}  // namespace

S64Accumulation LongestKBlocks(const Interval& x, const Interval& w, int64_t k_groups) {
  const Interval product = Times(x, w.lo).Hull(Times(x, w.hi)).Hull({0, 0});
  const Interval pair = Plus(product, product);
  const uint64_t width = std::max<uint64_t>(1, pair.Width());
  const int64_t longest = std::clamp<int64_t>(static_cast<int64_t>(kMostWidth / width), 1, k_groups);
  return {.k_groups = longest, .least = longest * pair.lo};
}

S64Accumulation LongestKBlocks(const Interval& x, std::span<const std::span<const uint8_t>> groups,
                               int64_t k_groups) {
  std::vector<Interval> hulls;  // blocks of 1, 2, 4, .. K-groups
  for (const std::span<const uint8_t> weights : groups) {
    const int64_t panel_bytes = k_groups * kPanel * kKGroup;
    for (const uint8_t* panel = weights.data(); panel < weights.data() + weights.size();
         panel += panel_bytes) {
      for (int n = 0; n < kPanel; ++n) {
        std::vector<Interval> blocks;
        for (int64_t g = 0; g < k_groups; ++g) {
          int16_t w[2];
          std::memcpy(w, panel + (g * kPanel + n) * kKGroup, sizeof w);
          blocks.push_back(Plus(Times(x, w[0]), Times(x, w[1])));
        }
        JoinBlocks(std::move(blocks), hulls);
      }
    }
  }
  // A column whose blocks do not fit has none that are longer.
  size_t level = 0;
  while (level + 1 < hulls.size() && Fits(hulls[level + 1])) ++level;
  return {.k_groups = int64_t{1} << level, .least = hulls[level].lo};
}

}  // namespace tally
