#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"
#include "ops/sort/attrs.h"
#include "ops/sort/cuda/kernel_tables.h"
#include "ops/sort/cuda/lines.h"

namespace tally::cuda {
namespace {

// Results of `kept` items of each line: values and positions, or one of them.
void AddWriteSorted(Work& work, const KernelFacts& facts, const LinesAlong& x, int64_t kept,
                    const ItemCoding& coding, Ref items, bool values, bool positions) {
  const size_t position_result = values ? 1 : 0;
  const WriteSortedParams params = {.count = x.lines * kept,
                                    .n = x.n,
                                    .kept = kept,
                                    .inner = x.inner,
                                    .coding = coding,
                                    .values = values,
                                    .positions = positions,
                                    .x = facts.storages[0],
                                    .value = facts.results[0].storage(),
                                    .position = facts.results[positions ? position_result : 0].storage()};
  work.Add(KernelId::kWriteSorted, GridOver(params.count), params,
           {items, OperandAt(0), ResultAt(0), ResultAt(positions ? static_cast<int>(position_result) : 0)});
}

BySlice ElementsOf(const KernelFacts& facts, const LinesAlong& x, bool descending) {
  return {x.n, x.inner, 1, descending, facts.storages[0]};
}

std::optional<Work> WholeLines(const KernelFacts& facts, bool values) {
  const auto attrs = facts.attrs<SortAttrs>();
  const LinesAlong x(facts.operands[0].shape, attrs.axis);
  const ItemCoding coding = CodingOf(facts.operands[0].interval, x.n, attrs.descending);
  Work work;
  const Ref items = AddSortedLines(work, x.lines, x.n, coding, ElementsOf(facts, x, attrs.descending));
  AddWriteSorted(work, facts, x, x.n, coding, items, values, !values);
  return work;
}

std::optional<Work> PrepareSort(const KernelFacts& facts) { return WholeLines(facts, true); }
std::optional<Work> PrepareArgSort(const KernelFacts& facts) { return WholeLines(facts, false); }

std::optional<Work> PrepareTopK(const KernelFacts& facts) {
  const auto attrs = facts.attrs<TopKAttrs>();
  const LinesAlong x(facts.operands[0].shape, attrs.axis);
  const ItemCoding coding = CodingOf(facts.operands[0].interval, x.n, attrs.largest);
  Work work;
  Ref items = AddSortedLines(work, x.lines, attrs.k, coding, ElementsOf(facts, x, attrs.largest));
  if (attrs.order == TopKOrder::kIndex) {
    const int64_t count = x.lines * attrs.k;
    work.Add(KernelId::kKeepPositions, GridOver(count), KeepPositionsParams{count, coding}, {items});
    items = AddSort(work, {x.lines, attrs.k, attrs.k}, items, ByNumber{}, items);
  }
  AddWriteSorted(work, facts, x, attrs.k, coding, items, true, true);
  return work;
}

constexpr KernelEntry kSortKernels[] = {
    {Opcode::kSort, "sort", Arch::kSm80, Layouts::kRowMajor, PrepareSort},
    {Opcode::kArgSort, "arg_sort", Arch::kSm80, Layouts::kRowMajor, PrepareArgSort},
    {Opcode::kTopK, "top_k", Arch::kSm80, Layouts::kRowMajor, PrepareTopK},
};

}  // namespace

KernelTable SortKernels() { return kSortKernels; }

}  // namespace tally::cuda
