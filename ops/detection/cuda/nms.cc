#include <optional>

#include "ops/cuda/launch.h"
#include "ops/cuda/primitives/prefix_sums.h"
#include "ops/detection/attrs.h"
#include "ops/detection/cuda/best.h"
#include "ops/detection/cuda/kernel_tables.h"
#include "ops/detection/cuda/nms_device.h"
#include "ops/detection/cuda/suppression.h"
#include "ops/kernel.h"

namespace tally::cuda {
namespace {

static_assert(static_cast<int>(BoxEncoding::kCenter) == static_cast<int>(Encoding::kCenter));

// Rows in the order of their classes need numbers of a class and a row, those of all batches numbers of a
// distance and a row.
NmsRows OrderOfRows(const NmsAttrs& attrs) {
  if (attrs.batches == NmsBatches::kMerged) return NmsRows::kMerged;
  return attrs.order == NmsOrder::kClass ? NmsRows::kByClass : NmsRows::kByScore;
}

// Scores of the list at or above the least that a candidate has.
uint64_t CandidateDistances(const NmsAttrs& attrs, const Interval& scores) {
  if (attrs.min_score > scores.hi) return 0;
  return Interval{std::max(attrs.min_score, scores.lo), scores.hi}.Width() + 1;
}

SuppressionParams SuppressionOf(const NmsAttrs& attrs, const KernelFacts& facts, const NmsLists& lists) {
  const TensorType &boxes = facts.operands[0], &scores = facts.operands[1];
  const bool shared = boxes.shape.rank() == 3, doubled = attrs.encoding == BoxEncoding::kCenter;
  const int64_t tested = std::min(lists.boxes, attrs.top_k), kept = std::min(tested, attrs.max_per_class);
  return {.tested = tested,
          .stride = tested,
          .slots = kept,
          .most = kept,
          .first = 0,
          .rows = 0,
          .words = 0,
          .coding = lists.coding,
          .distances = CandidateDistances(attrs, scores.interval),
          .boxes = {.n = lists.boxes,
                    .fields = 4,
                    .first = 0,
                    .lists = shared ? lists.lists : 1,
                    .by_best_class = !shared && attrs.classes == NmsClasses::kBest,
                    .classes = lists.classes,
                    .has_ids = false,
                    .encoding = static_cast<Encoding>(attrs.encoding),
                    .storage = facts.storages[0]},
          .rivalry = {.of_one_id = false,
                      .offset = doubled ? 2 * attrs.side_offset : attrs.side_offset,
                      .numerator = attrs.iou_numerator,
                      .denominator = attrs.iou_denominator,
                      .or_equal = attrs.suppress_equal}};
}

// Left to the reference: scores of so many values that an item of 64 bits has no room for twice as many, and
// a slot; more lists than a grid has blocks.
std::optional<Work> PrepareNms(const KernelFacts& facts) {
  const auto attrs = facts.attrs<NmsAttrs>();
  const Shape& shape = facts.operands[1].shape;
  const Interval& scores = facts.operands[1].interval;
  const int64_t batches = shape[0], classes = shape[1], boxes = shape[2];
  const NmsLists lists = {.lists = attrs.classes == NmsClasses::kBest ? 1 : classes,
                          .classes = classes,
                          .boxes = boxes,
                          .has_best = attrs.classes != NmsClasses::kEach,
                          .coding = {true, true, scores.hi, BitsOf(boxes - 1)},
                          .distances = scores.Width() + 1};
  const SuppressionParams suppression = SuppressionOf(attrs, facts, lists);
  const int64_t lines = batches * lists.lists, picked = lists.lists * suppression.slots;
  const int64_t row_count = facts.results[0].shape[0], rows = row_count / batches;
  const NmsPicks picks = {lists, suppression.slots, picked, attrs.at_least_one, BitsOf(picked - 1)};
  const int row_bits = BitsOf(row_count - 1);
  const int least_bits = std::max({lists.coding.position_bits, picks.slot_bits, row_bits});
  // The bits of 2 * distances, which may have wrapped where they do not fit.
  if (BitsOf(scores.Width()) + 2 + least_bits > 64 || !TakesSuppression(lines, suppression.tested)) {
    return std::nullopt;
  }

  Work work;
  Ref best = OperandAt(1);
  if (lists.has_best) {
    const Loops<1> by_box = {
        .count = batches * boxes, .rank = 2, .dims = {batches, boxes}, .strides = {{classes * boxes, 1}}};
    best = AddBestClasses(work, by_box, classes, boxes, OperandAt(1), facts.storages[1]);
  }
  const Ref items = work.AddScratch(lines * boxes * kItemBytes);
  work.Add(KernelId::kNmsItems, GridOver(lines * boxes),
           NmsItemsParams{lines * boxes, lists, facts.storages[1]}, {OperandAt(1), best, items});
  const Ref sorted = AddSort(work, {lines, boxes, suppression.stride}, items, ByNumber{}, items);
  const KeptCandidates kept = AddSuppression(work, lines, suppression, sorted, OperandAt(0), best);

  const Ref unordered = work.AddScratch(batches * picked * kItemBytes);
  work.Add(KernelId::kNmsPickItems, GridOver(batches * picked),
           NmsPickItemsParams{batches * picked, picks, suppression.stride},
           {sorted, kept.items, kept.counts, unordered});
  const Ref by_score = AddSort(work, {batches, picked, rows}, unordered, ByNumber{}, unordered);
  const NmsRows order = OrderOfRows(attrs);
  const Ref found = work.AddScratch(row_count * 8);
  Ref ordered = work.AddScratch(row_count * kItemBytes);
  const Storage number = facts.results[1].storage();
  work.Add(KernelId::kNmsRowItems, GridOver(row_count),
           NmsRowItemsParams{row_count, rows, picks, order, row_bits, number},
           {by_score, kept.items, best, found, ordered, ResultAt(1)});
  if (order == NmsRows::kByClass)
    ordered = AddSort(work, {batches, rows, rows}, ordered, ByNumber{}, ordered);
  if (order == NmsRows::kMerged) {
    ordered = AddSort(work, {1, row_count, row_count}, ordered, ByNumber{}, ordered);
  }
  const Ref sums = AddPrefixSums(work, KernelId::kPrefixSumsOfRows, batches, RowTerms{number}, {ResultAt(1)});
  work.Add(KernelId::kWriteNms, GridOver(row_count),
           WriteNmsParams{row_count, batches, rows, attrs.batches == NmsBatches::kApart, order, row_bits,
                          facts.results[0].storage()},
           {found, ordered, sums, ResultAt(0)});
  return work;
}

constexpr KernelEntry kNmsKernels[] = {
    {Opcode::kNms, "nms", Arch::kSm80, Layouts::kRowMajor, PrepareNms},
};

}  // namespace

KernelTable NmsKernels() { return kNmsKernels; }

}  // namespace tally::cuda
