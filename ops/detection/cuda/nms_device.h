// Nms for devices, around the suppression of its lists. A batch has `lists` lists of boxes: one, or one for
// each class.
//
// Items of lists are distances of scores from the highest one and boxes. Items of picks are distances and
// slots, of which each list has as many as it may keep: so equal scores stay in the order of lists and,
// within one, of boxes.
#pragma once

#include "ops/cuda/primitives/prefix_sums_device.h"
#include "ops/cuda/primitives/sort_device.h"

namespace tally::cuda {

// Scores [batches, classes, boxes], and the best class of each box in i32 [batches, boxes] unless each class
// is a list of its own.
struct NmsLists {
  int64_t lists, classes, boxes;
  bool has_best;
  ItemCoding coding;   // for items of lists
  uint64_t distances;  // for scores; what is no entry of a list is as far

  TALLY_DEVICE int64_t BestOf(const int32_t* best, int64_t batch, int64_t box) const {
    return best[batch * boxes + box];
  }
  TALLY_DEVICE uint64_t DistanceIn(uint64_t item) const { return item >> coding.position_bits; }
};

struct NmsItemsParams {
  int64_t count;
  NmsLists lists;
  Storage scores;
};

// Memory: the scores, the best classes, the items [batches, lists, boxes].
TALLY_DEVICE void NmsItems(const Thread& t, const Memory& m, const NmsItemsParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const NmsLists& l = p.lists;
  const int64_t box = i % l.boxes, list = i / l.boxes % l.lists, batch = i / l.boxes / l.lists;
  int64_t cls = list;
  if (l.has_best) cls = l.BestOf(m.as<int32_t>(1), batch, box);
  uint64_t item = l.distances << l.coding.position_bits | static_cast<uint64_t>(box);
  if (l.lists == 1 || cls == list) {
    item = l.coding.ItemOf(Load(p.scores, m.at[0], (batch * l.classes + cls) * l.boxes + box), box);
  }
  m.as<uint64_t>(2)[i] = item;
}

// Picks are in three bands of distances: those that are kept; the best entries of lists without a
// candidate, of which a batch without any yields one; and slots without a pick.
struct NmsPicks {
  NmsLists lists;
  int64_t slots, of_batch;  // a list's; of its lists together
  bool at_least_one;
  int slot_bits;

  TALLY_DEVICE uint64_t DistanceIn(uint64_t pick) const { return pick >> slot_bits; }
  TALLY_DEVICE int64_t SlotIn(uint64_t pick) const {
    return static_cast<int64_t>(pick & ((uint64_t{1} << slot_bits) - 1));
  }
  TALLY_DEVICE uint64_t PickOf(uint64_t distance, int64_t slot) const {
    return distance << slot_bits | static_cast<uint64_t>(slot);
  }
};

struct NmsPickItemsParams {
  int64_t count;
  NmsPicks picks;
  int64_t stride;  // items of a list
};

// Memory: the items of lists in order, those that are kept, into which the best entry of a list without a
// candidate goes, how many those are, the picks [batches, of_batch].
TALLY_DEVICE void NmsPickItems(const Thread& t, const Memory& m, const NmsPickItemsParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const NmsPicks& picks = p.picks;
  const uint64_t nothing = picks.lists.distances;
  const int64_t line = i / picks.slots, rank = i % picks.slots, kept = m.as<int64_t>(2)[line];
  uint64_t distance = 2 * nothing;
  if (rank < kept) {
    distance = picks.lists.DistanceIn(m.as<uint64_t>(1)[i]);
  } else if (rank == 0 && picks.at_least_one) {
    const uint64_t best = m.as<uint64_t>(0)[line * p.stride];
    if (picks.lists.DistanceIn(best) < nothing) {
      m.as<uint64_t>(1)[i] = best;
      distance = nothing + picks.lists.DistanceIn(best);
    }
  }
  m.as<uint64_t>(3)[i] = picks.PickOf(distance, i % picks.of_batch);
}

// The order of the rows of a result.
enum class NmsRows { kByScore, kByClass, kMerged };

struct NmsRowItemsParams {
  int64_t count;
  int64_t rows;  // a batch's, at most
  NmsPicks picks;
  NmsRows order;
  int row_bits;  // for an item that orders rows of all batches
  Storage number;
};

// Memory: the picks in order [batches, rows], the kept items of lists, the best classes, the class and the
// box of each pick [batches, rows] in two words of 32 bits, items that order them, the number of rows of each
// batch.
TALLY_DEVICE void NmsRowItems(const Thread& t, const Memory& m, const NmsRowItemsParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const NmsPicks& picks = p.picks;
  const NmsLists& l = picks.lists;
  const int64_t batch = i / p.rows, row = i % p.rows;
  const uint64_t* of_batch = m.as<uint64_t>(0) + batch * p.rows;
  int64_t lo = 0, hi = p.rows;  // the number of those that are kept is in [lo, hi]
  while (lo < hi) {
    const int64_t middle = lo + (hi - lo) / 2;
    if (picks.DistanceIn(of_batch[middle]) < l.distances) {
      lo = middle + 1;
    } else {
      hi = middle;
    }
  }
  const int64_t number = lo == 0 && picks.at_least_one ? 1 : lo;
  if (row == 0) Store(p.number, m.at[5], batch, number);
  int64_t cls = l.classes;  // after all that are there
  uint64_t distance = 2 * l.distances;
  if (row < number) {
    const int64_t slot = picks.SlotIn(of_batch[row]);
    const uint64_t item = m.as<uint64_t>(1)[batch * picks.of_batch + slot];
    const int64_t box = l.coding.PositionIn(item);
    cls = slot / picks.slots;
    if (l.has_best) cls = l.BestOf(m.as<int32_t>(2), batch, box);
    distance = l.DistanceIn(item);
    m.as<uint64_t>(3)[i] = static_cast<uint64_t>(cls) << 32 | static_cast<uint64_t>(box);
  }
  if (p.order == NmsRows::kByClass) m.as<uint64_t>(4)[i] = static_cast<uint64_t>(cls * p.rows + row);
  if (p.order == NmsRows::kMerged) {
    m.as<uint64_t>(4)[i] = distance << p.row_bits | static_cast<uint64_t>(i);
  }
}

// Memory: the number of rows of each batch.
struct RowTerms {
  Storage number;
  TALLY_DEVICE int64_t operator()(const Memory& m, int64_t i) const {
    return Load(number, m.at[kTermsAt], i);
  }
};

struct WriteNmsParams {
  int64_t count;  // rows
  int64_t batches, rows;
  bool apart;  // each batch has a block of rows; else one follows the other
  NmsRows order;
  int row_bits;
  Storage y;
};

// Memory: classes and boxes, the items that order them (of each batch, or of all), the sums of the numbers of
// rows, y.
TALLY_DEVICE void WriteNms(const Thread& t, const Memory& m, const WriteNmsParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t* sums = m.as<int64_t>(2);
  int64_t batch = i / p.rows, row = i % p.rows;
  bool exists = row < sums[batch] - SumBefore(sums, batch);
  if (!p.apart) {
    exists = i < sums[p.batches - 1];
    int64_t lo = 0, hi = p.batches - 1;  // the lowest batch whose sum is above i is in [lo, hi]
    while (lo < hi) {
      const int64_t middle = lo + (hi - lo) / 2;
      if (sums[middle] > i) {
        hi = middle;
      } else {
        lo = middle + 1;
      }
    }
    batch = lo;
    row = i - SumBefore(sums, batch);
  }
  int64_t y[3] = {-1, -1, -1};
  if (exists) {
    int64_t at = batch * p.rows + row;
    if (p.order == NmsRows::kByClass) {
      at = batch * p.rows + static_cast<int64_t>(m.as<uint64_t>(1)[at] % static_cast<uint64_t>(p.rows));
    }
    if (p.order == NmsRows::kMerged) {
      at = static_cast<int64_t>(m.as<uint64_t>(1)[i] & ((uint64_t{1} << p.row_bits) - 1));
      batch = at / p.rows;
    }
    const uint64_t pick = m.as<uint64_t>(0)[at];
    y[0] = batch;
    y[1] = static_cast<int64_t>(pick >> 32);
    y[2] = static_cast<int64_t>(pick & 0xffffffffu);
  }
  for (int k = 0; k < 3; ++k) Store(p.y, m.at[3], i * 3 + k, y[k]);
}

}  // namespace tally::cuda
