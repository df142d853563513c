#include <optional>

#include "ops/cuda/launch.h"
#include "ops/cuda/primitives/compact_device.h"
#include "ops/cuda/primitives/prefix_sums.h"
#include "ops/detection/attrs.h"
#include "ops/detection/cuda/kernel_tables.h"
#include "ops/detection/cuda/ranked_boxes_device.h"
#include "ops/detection/cuda/suppression.h"
#include "ops/kernel.h"

namespace tally::cuda {
namespace {

std::optional<Work> PrepareGetValidCounts(const KernelFacts& facts) {
  const Shape& x = facts.operands[0].shape;
  const Storage storage = facts.storages[0], number = facts.results[0].storage();
  const ValidTerms terms = {x[2], facts.attrs<GetValidCountsAttrs>().score_threshold, storage};
  Work work;
  const Ref kept =
      AddKeptList(work, KernelId::kPrefixSumsOfValid, x[0], x[1], terms, {OperandAt(0)}, ResultAt(0), number);
  const TakeKeptParams params = {.count = x.num_elements(),
                                 .n = x[1],
                                 .bound = x[1],
                                 .inner = x[2],
                                 .of_outer = true,
                                 .value = -1,
                                 .x = storage,
                                 .y = facts.results[1].storage(),
                                 .number = number};
  work.Add(KernelId::kTakeKept, GridOver(params.count), params,
           {OperandAt(0), ResultAt(1), kept, ResultAt(0)});
  return work;
}

// A percentage that is rounded down is at least T where 100 * both >= T * either, and never above 100.
std::optional<Work> PrepareNonMaxSuppression(const KernelFacts& facts) {
  const auto attrs = facts.attrs<NonMaxSuppressionAttrs>();
  const TensorType& x = facts.operands[0];
  const int64_t batches = x.shape[0], n = x.shape[1];
  const int64_t tested = attrs.top_k < 0 ? n : std::min(n, attrs.top_k);
  const int64_t most = attrs.max_output_size < 0 ? tested : std::min(tested, attrs.max_output_size);
  if (!TakesSuppression(batches, tested)) return std::nullopt;
  const ItemCoding coding = {true, true, x.interval.hi, BitsOf(n - 1)};
  const uint64_t distances = x.interval.Width() + 1;

  Work work;
  const Ref items = work.AddScratch(batches * n * kItemBytes);
  const RankedItemsParams ranked = {batches * n, n, coding, distances, facts.storages[0], facts.storages[1]};
  work.Add(KernelId::kRankedItems, GridOver(ranked.count), ranked, {OperandAt(0), OperandAt(1), items});
  const int64_t stride = std::max<int64_t>(tested, 1);
  const Ref sorted = AddSort(work, {batches, n, stride}, items, ByNumber{}, items);
  const SuppressionParams suppression = {.tested = tested,
                                         .stride = stride,
                                         .slots = std::max<int64_t>(most, 1),
                                         .most = most,
                                         .first = 0,
                                         .rows = 0,
                                         .words = 0,
                                         .coding = coding,
                                         .distances = distances,
                                         .boxes = {.n = n,
                                                   .fields = kRankedFields,
                                                   .first = 2,
                                                   .lists = 1,
                                                   .by_best_class = false,
                                                   .classes = 1,
                                                   .has_ids = true,
                                                   .encoding = Encoding::kOrderedCorners,
                                                   .storage = facts.storages[0]},
                                         .rivalry = {.of_one_id = !attrs.force_suppress,
                                                     .offset = 0,
                                                     .numerator = std::min<int64_t>(attrs.iou_threshold, 101),
                                                     .denominator = 100,
                                                     .or_equal = true}};
  const KeptCandidates kept = AddSuppression(work, batches, suppression, sorted, OperandAt(0), OperandAt(0));
  const WriteRankedParams write = {x.shape.num_elements(),    n, suppression.slots, coding, facts.storages[0],
                                   facts.results[0].storage()};
  work.Add(KernelId::kWriteRanked, GridOver(write.count), write,
           {OperandAt(0), kept.items, kept.counts, ResultAt(0)});
  return work;
}

constexpr KernelEntry kRankedBoxesKernels[] = {
    {Opcode::kGetValidCounts, "get_valid_counts", Arch::kSm80, Layouts::kRowMajor, PrepareGetValidCounts},
    {Opcode::kNonMaxSuppression, "non_max_suppression", Arch::kSm80, Layouts::kRowMajor,
     PrepareNonMaxSuppression},
};

}  // namespace

KernelTable RankedBoxesKernels() { return kRankedBoxesKernels; }

}  // namespace tally::cuda
