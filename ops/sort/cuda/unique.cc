#include <optional>

#include "ops/cuda/launch.h"
#include "ops/cuda/primitives/prefix_sums.h"
#include "ops/kernel.h"
#include "ops/sort/attrs.h"
#include "ops/sort/cuda/kernel_tables.h"
#include "ops/sort/cuda/lines.h"
#include "ops/sort/cuda/unique_device.h"

namespace tally::cuda {
namespace {

// The slices of x; without an axis each element is one.
BySlice SlicesOf(const KernelFacts& facts, const std::vector<int64_t>& axis) {
  const Shape& shape = facts.operands[0].shape;
  BySlice slices = {shape.num_elements(), 1, 1, false, facts.storages[0]};
  if (axis.empty()) return slices;
  const LinesAlong x(shape, axis[0]);
  slices.n = x.n;
  slices.inner = x.inner;
  slices.size = x.lines;
  return slices;
}

std::optional<Work> PrepareUnique(const KernelFacts& facts) {
  const auto attrs = facts.attrs<UniqueAttrs>();
  const BySlice slices = SlicesOf(facts, attrs.axis);
  const int64_t n = slices.n;
  ItemCoding coding = CodingOf(facts.operands[0].interval, n, false);
  coding.has_distance = coding.has_distance && slices.size == 1;
  Work work;
  const Ref items = AddSortedLines(work, 1, n, coding, slices);
  const Ref sums = AddPrefixSums(work, KernelId::kPrefixSumsOfGroups, n, GroupTerms{coding, slices},
                                 {items, OperandAt(0)});
  const Ref groups = work.AddScratch(n * 8), begins = work.AddScratch((n + 1) * 8),
            is_first = work.AddScratch(n * 8);
  work.Add(KernelId::kUniqueGroups, GridOver(n), UniqueGroupsParams{n, coding, facts.results[4].storage()},
           {items, sums, groups, begins, is_first, ResultAt(4)});
  const Ref appeared = attrs.sorted
                           ? is_first
                           : AddPrefixSums(work, KernelId::kPrefixSumsOfStored, n, StoredTerms{}, {is_first});
  const UniqueEntriesParams entries = {.n = n,
                                       .bound = attrs.bound,
                                       .sorted = attrs.sorted,
                                       .coding = coding,
                                       .first = facts.results[1].storage(),
                                       .inverse = facts.results[2].storage(),
                                       .count = facts.results[3].storage()};
  work.Add(KernelId::kUniqueEntries, GridOver(std::max(n, attrs.bound)), entries,
           {items, groups, begins, appeared, ResultAt(1), ResultAt(2), ResultAt(3), sums});
  const UniqueValuesParams values = {.count = facts.results[0].shape.num_elements(),
                                     .n = n,
                                     .bound = attrs.bound,
                                     .inner = slices.inner,
                                     .value = attrs.value,
                                     .x = facts.storages[0],
                                     .y = facts.results[0].storage(),
                                     .first = entries.first};
  work.Add(KernelId::kUniqueValues, GridOver(values.count), values, {OperandAt(0), ResultAt(0), ResultAt(1)});
  return work;
}

constexpr KernelEntry kUniqueKernels[] = {
    {Opcode::kUnique, "unique", Arch::kSm80, Layouts::kRowMajor, PrepareUnique},
};

}  // namespace

KernelTable UniqueKernels() { return kUniqueKernels; }

}  // namespace tally::cuda
