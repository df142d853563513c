#include "fuzz/generators/call_generators.h"
#include "fuzz/generators/values.h"
#include "ops/sort/attrs.h"

namespace tally {
namespace {

Attempt DrawSort(CallContext& c) {
  // Constants may be wider than what kernels sort.
  constexpr Interval kWidest = {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  const DraftId x = c.e.OneIn(8)
                        ? c.draft.AddConstant(RandomTensor(c.e, {RandomShape(c.e, 1, 3, 32), kWidest}))
                        : c.Operand({.min_rank = 1});
  return {{x}, Pack(SortAttrs{.axis = c.Axis(c.shape(x).rank()), .descending = c.e.OneIn(2)})};
}

Attempt DrawTopK(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = 1});
  TopKAttrs attrs = {.axis = c.Axis(c.shape(x).rank()), .largest = c.e.OneIn(2)};
  attrs.k = c.e.Between(1, DimAt(c.shape(x), attrs.axis));
  if (c.e.OneIn(2)) attrs.order = TopKOrder::kIndex;
  return {{x}, Pack(attrs)};
}

Attempt DrawUnique(CallContext& c) {
  const DraftId x = c.Operand({});
  UniqueAttrs attrs = {.sorted = c.e.OneIn(2), .bound = c.e.Between(1, 8), .value = c.e.Between(-1, 1)};
  if (c.e.OneIn(2)) attrs.axis = {c.Axis(c.shape(x).rank())};
  return {{x}, Pack(attrs)};
}

}  // namespace

CallGenerator FindSortCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kSort:
    case Opcode::kArgSort: return DrawSort;
    case Opcode::kTopK: return DrawTopK;
    case Opcode::kUnique: return DrawUnique;
    default: return nullptr;
  }
}

}  // namespace tally
