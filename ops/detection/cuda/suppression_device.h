// Greedy suppression for devices. Each line has candidates, best first; one is kept unless a kept one before
// it overlaps it too much. Lines go through chunks of candidates: blocks test those of a chunk against the
// kept ones of earlier chunks and, all pairs at once, against each other; then one block for each line walks
// the bits.
#pragma once

#include "base/int_math.h"
#include "ops/cuda/elements.h"
#include "ops/cuda/primitives/sort_device.h"
#include "ops/detection/overlap.h"

namespace tally::cuda {

inline constexpr int kChunkOfCandidates = 512;
inline constexpr int kGroupOfCandidates = 64;  // for one block, and the bits of a word
inline constexpr int kMaskWords = kChunkOfCandidates / kGroupOfCandidates;
inline constexpr int kSuppressionThreads = 256;
inline constexpr int kTestsOfCandidate = kSuppressionThreads / kGroupOfCandidates;  // threads

// The numbers of BoxEncoding.
enum class Encoding { kCorners, kOrderedCorners, kCenter };

// A candidate as others meet it.
struct Rival {
  detection::Box<int64_t> box;
  int64_t id;
};

// The boxes [rows, n, fields] of lines. Row of a line: every `lists` lines share one, or each has its own, or
// each has one for each of `classes`, of which `best` names that of a box.
struct RivalBoxes {
  int64_t n;       // boxes of a row
  int64_t fields;  // elements of a box
  int64_t first;   // the first of the four elements that say where it is
  int64_t lists;
  bool by_best_class;
  int64_t classes;
  bool has_ids;  // ahead of everything else in a box; those below 0 are no rivals
  Encoding encoding;
  Storage storage;

  TALLY_DEVICE Rival At(const uint8_t* boxes, const int32_t* best, int64_t line, int64_t box) const {
    const int64_t row = by_best_class ? line * classes + best[line * n + box] : line / lists;
    const int64_t at = (row * n + box) * fields;
    std::array<int64_t, 4> e = {};
    for (int k = 0; k < 4; ++k) e[static_cast<size_t>(k)] = Load(storage, boxes, at + first + k);
    return {encoding == Encoding::kCenter ? detection::DoubledBoxOfCenter(e)
                                          : detection::BoxOfCorners(e, encoding == Encoding::kOrderedCorners),
            has_ids ? Load(storage, boxes, at) : 0};
  }
};

// When one suppresses another.
struct Rivalry {
  bool of_one_id;
  int64_t offset;  // for sides, in the units of the boxes
  int64_t numerator, denominator;
  bool or_equal;

  // Areas have up to 62 bits and are compared as products.
  TALLY_DEVICE bool operator()(const Rival& p, const Rival& q) const {
    if (of_one_id && p.id != q.id) return false;
    const detection::Overlap<int64_t> overlap = detection::OverlapOf(p.box, q.box, offset);
    return detection::Suppresses<Int128>({overlap.both, overlap.either}, numerator, denominator, or_equal);
  }
};

struct SuppressionParams {
  int64_t tested;   // candidates of a line that are looked at, at most
  int64_t stride;   // items of a line
  int64_t slots;    // for kept ones of a line
  int64_t most;     // that are kept of a line, at most `slots`
  int64_t first;    // candidate of this chunk
  int rows, words;  // for the masks of a line: candidates of a chunk, and 64 of them in a word
  ItemCoding coding;
  uint64_t distances;  // candidates are at a distance below
  RivalBoxes boxes;
  Rivalry rivalry;

  TALLY_DEVICE bool IsCandidate(const uint64_t* items, int64_t line, int64_t i) const {
    return i < tested && items[line * stride + i] >> coding.position_bits < distances;
  }
};

// Rivals in shared memory, field by field.
TALLY_DEVICE void StoreRival(const Thread& t, int rows, int i, const Rival& r) {
  t.StoreShared((0 * rows + i) * 8, r.box.lo[0]);
  t.StoreShared((1 * rows + i) * 8, r.box.lo[1]);
  t.StoreShared((2 * rows + i) * 8, r.box.hi[0]);
  t.StoreShared((3 * rows + i) * 8, r.box.hi[1]);
  t.StoreShared((4 * rows + i) * 8, r.id);
}
TALLY_DEVICE Rival LoadRival(const Thread& t, int rows, int i) {
  const auto field = [&](int k) { return t.LoadShared<int64_t>((k * rows + i) * 8); };
  return {{{field(0), field(1)}, {field(2), field(3)}}, field(4)};
}
inline constexpr int kRivalBytes = 5 * 8;
constexpr int TestSharedBytes(int rows) { return rows * kRivalBytes + kSuppressionThreads * 4; }

// Memory: the items [lines, stride] in order, the boxes, the best classes, the items that are kept [lines,
// slots], how many those are [lines], the masks [lines, rows, words]: bit i of row j says that candidate i
// would suppress candidate j, and bit j that it is suppressed whatever is kept. A block for each group of
// each line.
TALLY_DEVICE void TestOverlaps(const Thread& t, const Memory& m, const SuppressionParams& p) {
  const int64_t line = t.block_x() / p.words;
  const int group = t.block_x() % p.words;
  const uint64_t *items = m.as<uint64_t>(0), *kept = m.as<uint64_t>(3);
  const int64_t kept_count = p.first == 0 ? 0 : m.as<int64_t>(4)[line];
  if (kept_count >= p.most) return;  // nothing more is kept of the line
  const auto rival = [&](uint64_t item) {
    return p.boxes.At(m.at[1], m.as<int32_t>(2), line, p.coding.PositionIn(item));
  };
  const int in_group = t.x() % kGroupOfCandidates, part = t.x() / kGroupOfCandidates;
  const int j = group * kGroupOfCandidates + in_group;
  const int end = (group + 1) * kGroupOfCandidates;
  for (int i = t.x(); i < end && i < p.rows; i += kSuppressionThreads) {
    if (p.IsCandidate(items, line, p.first + i)) {
      StoreRival(t, p.rows, i, rival(items[line * p.stride + p.first + i]));
    }
  }
  t.Barrier();
  const bool exists = j < p.rows && p.IsCandidate(items, line, p.first + j);
  uint64_t* const mask = m.as<uint64_t>(5) + (line * p.rows + j) * p.words;
  uint64_t bits = 0;  // for the last word
  bool suppressed = false;
  if (exists) {
    const Rival own = LoadRival(t, p.rows, j);
    for (int word = part; word <= group; word += kTestsOfCandidate) {
      bits = 0;
      for (int bit = 0; bit < kGroupOfCandidates && word * kGroupOfCandidates + bit < j; ++bit) {
        const bool rivals = p.rivalry(LoadRival(t, p.rows, word * kGroupOfCandidates + bit), own);
        bits |= uint64_t{rivals} << bit;
      }
      if (word < group) mask[word] = bits;
    }
    suppressed = p.boxes.has_ids && own.id < 0;
    for (int64_t k = part; k < kept_count && !suppressed; k += kTestsOfCandidate) {
      suppressed = p.rivalry(rival(kept[line * p.slots + k]), own);
    }
  }
  const int flags = p.rows * kRivalBytes;
  t.StoreShared(flags + t.x() * 4, static_cast<int32_t>(suppressed));
  t.Barrier();
  if (!exists || part != group % kTestsOfCandidate) return;
  int32_t any = 0;
  for (int k = 0; k < kTestsOfCandidate; ++k) {
    any |= t.LoadShared<int32_t>(flags + (k * kGroupOfCandidates + in_group) * 4);
  }
  mask[group] = bits | static_cast<uint64_t>(any) << in_group;
}

// Items and masks of a chunk in shared memory.
constexpr int ScanSharedBytes(int rows, int words) { return rows * (words + 1) * 8; }

// Memory: as TestOverlaps. A block for each line: its threads fetch the chunk, and one of them walks.
TALLY_DEVICE void KeepCandidates(const Thread& t, const Memory& m, const SuppressionParams& p) {
  const int64_t line = t.block_x();
  const uint64_t *items = m.as<uint64_t>(0), *masks = m.as<uint64_t>(5) + line * p.rows * p.words;
  int64_t kept_count = p.first == 0 ? 0 : m.as<int64_t>(4)[line];
  const int masks_at = p.rows * 8;
  if (kept_count < p.most) {
    for (int i = t.x(); i < p.rows * p.words; i += kSuppressionThreads) {
      const int row = i / p.words, word = i % p.words;
      if (word <= row / kGroupOfCandidates && p.IsCandidate(items, line, p.first + row)) {
        t.StoreShared(masks_at + i * 8, masks[i]);
      }
    }
    for (int i = t.x(); i < p.rows; i += kSuppressionThreads) {
      const bool exists = p.IsCandidate(items, line, p.first + i);
      t.StoreShared(i * 8, exists ? items[line * p.stride + p.first + i] : ~uint64_t{0});
    }
  }
  t.Barrier();
  if (t.x() != 0) return;
  uint64_t kept_bits[kMaskWords] = {};
  // Where nothing more is kept, no later group has anything that is.
  TALLY_UNROLL
  for (int group = 0; group < kMaskWords; ++group) {
    for (int bit = 0; bit < kGroupOfCandidates; ++bit) {
      const int j = group * kGroupOfCandidates + bit;
      if (kept_count >= p.most || j >= p.rows) break;
      const auto item = t.LoadShared<uint64_t>(j * 8);
      if (item >> p.coding.position_bits >= p.distances) break;
      const auto mask = [&](int word) { return t.LoadShared<uint64_t>(masks_at + (j * p.words + word) * 8); };
      uint64_t against = mask(group) & (kept_bits[group] | uint64_t{1} << bit);
      TALLY_UNROLL
      for (int word = 0; word < group; ++word) against |= mask(word) & kept_bits[word];
      if (against != 0) continue;
      kept_bits[group] |= uint64_t{1} << bit;
      m.as<uint64_t>(3)[line * p.slots + kept_count++] = item;
    }
  }
  m.as<int64_t>(4)[line] = kept_count;
}

}  // namespace tally::cuda
