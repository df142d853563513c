#include "ops/detection/cpu/detection_loops.h"

#include "ops/cpu/element.h"

namespace tally::TALLY_ISA {
namespace {

// Blocks are looked at as a whole: in most of them there is nothing.
template <int S>
int64_t Candidates(const void* bytes, int64_t n, int64_t least, int32_t* positions) {
  const auto* scores = At<S>(bytes);
  constexpr int64_t kBlock = 256;
  int64_t count = 0;
  const auto narrow = static_cast<Element<S>>(least);
  const bool none = narrow != least && least > 0, all = narrow != least && least < 0;
  if (none) return 0;
  const auto lowest = [&](int64_t i) { return all || scores[i] >= narrow; };
  int64_t start = 0;
  for (; start + kBlock <= n; start += kBlock) {
    Element<S> found = 0;
    for (int64_t i = 0; i < kBlock; ++i) found |= scores[start + i] >= narrow ? 1 : 0;
    if (!all && found == 0) continue;
    for (int64_t i = start; i < start + kBlock; ++i) {
      positions[count] = static_cast<int32_t>(i);
      count += lowest(i) ? 1 : 0;
    }
  }
  for (; start < n; ++start) {
    positions[count] = static_cast<int32_t>(start);
    count += lowest(start) ? 1 : 0;
  }
  return count;
}

template <int S>
void Best(const void* bytes, int64_t classes, int64_t n, int64_t* score, int32_t* cls) {
  const auto* scores = At<S>(bytes);
  for (int64_t i = 0; i < n; ++i) score[i] = scores[i], cls[i] = 0;
  for (int64_t k = 1; k < classes; ++k) {
    const auto* row = scores + k * n;
    const auto number = static_cast<int32_t>(k);
    TALLY_SIMD
    for (int64_t i = 0; i < n; ++i) {
      const int64_t v = row[i], best = score[i];
      const int32_t before = cls[i];
      cls[i] = v > best ? number : before;
      score[i] = v > best ? v : best;
    }
  }
}

template <int S>
int64_t FirstBest(const void* bytes, int64_t n) {
  const auto* x = At<S>(bytes);
  Element<S> greatest = x[0];
  for (int64_t i = 1; i < n; ++i) greatest = x[i] > greatest ? x[i] : greatest;
  int64_t first = 0;
  while (x[first] != greatest) ++first;
  return first;
}

template <bool kOfOneId>
bool Suppressed(const BoxLists& boxes, int64_t n, const OverlapArgs& args) {
  const OverlapArgs a = args;
  const BoxFields box = args.box;
  const int64_t *lo0 = boxes.lo0, *lo1 = boxes.lo1, *hi0 = boxes.hi0, *hi1 = boxes.hi1, *area = boxes.area,
                *id = boxes.id;
  // both * denominator > either * numerator, or above a threshold that is one less.
  const int64_t equal = a.or_equal ? 1 : 0;
  constexpr int64_t kBlock = 32;
  for (int64_t start = 0; start < n; start += kBlock) {
    const int64_t end = start + kBlock < n ? start + kBlock : n;
    int64_t found = 0;
    for (int64_t i = start; i < end; ++i) {
      const int64_t from0 = lo0[i] > box.lo0 ? lo0[i] : box.lo0, from1 = lo1[i] > box.lo1 ? lo1[i] : box.lo1,
                    to0 = hi0[i] < box.hi0 ? hi0[i] : box.hi0, to1 = hi1[i] < box.hi1 ? hi1[i] : box.hi1;
      const int64_t width = to0 - from0 + a.offset, height = to1 - from1 + a.offset;
      // Sides that are not positive make an area of 0, whatever their product would be.
      const int64_t w = width > 0 ? width : 0, h = height > 0 ? height : 0, both = w * h;
      const int64_t either = area[i] + box.area - both;
      const bool above = both * a.denominator > either * a.numerator - equal;
      const bool rivals = !kOfOneId || id[i] == box.id;
      found |= ((both > 0) & above & rivals) ? 1 : 0;
    }
    if (found != 0) return true;
  }
  return false;
}

}  // namespace

const DetectionLoops kDetectionLoops = {
    {Candidates<0>, Candidates<1>, Candidates<2>, Candidates<3>},
    {Best<0>, Best<1>, Best<2>, Best<3>},
    {FirstBest<0>, FirstBest<1>, FirstBest<2>, FirstBest<3>},
    {Suppressed<false>, Suppressed<true>},
};

}  // namespace tally::TALLY_ISA
