#include "ops/comparison/attrs.h"
#include "ops/comparison/cuda/comparison_device.h"
#include "ops/comparison/cuda/kernel_tables.h"
#include "ops/cuda/prepare_map.h"

namespace tally::cuda {
namespace {

Work Compare(const KernelFacts& facts, Relation relation) {
  return MapWork(KernelId::kCompare, BroadcastShapeOf<2>(facts), CompareFn{relation});
}

std::optional<Work> PrepareGreater(const KernelFacts& facts) { return Compare(facts, Relation::kGreater); }

std::optional<Work> PrepareCompare(const KernelFacts& facts) {
  static_assert(static_cast<int>(Comparison::kGreaterEqual) == static_cast<int>(Relation::kGreaterEqual));
  return Compare(facts, static_cast<Relation>(facts.attrs<CompareAttrs>().kind));
}

// The condition has the shape of the others, or it is a list along their first axis.
std::optional<Work> PrepareWhere(const KernelFacts& facts) {
  const Shape &y = facts.results[0].shape, &condition = facts.operands[0].shape;
  const auto strides = StridesOf(y, facts.layout);
  Folded f(y, facts.layout);
  f.AddStrided(condition == y ? strides : std::array<int64_t, kMaxRank>{1});
  f.AddStrided(strides);
  f.AddStrided(strides);
  return MapWork(KernelId::kSelect, MapShapeOf<3>(facts, f), SelectFn{});
}

constexpr KernelEntry kComparisonKernels[] = {
    {Opcode::kBroadcastGreater, "broadcast_greater", Arch::kSm80, Layouts::kEvery, PrepareGreater},
    {Opcode::kWhere, "where", Arch::kSm80, Layouts::kEvery, PrepareWhere},
    {Opcode::kCompare, "compare", Arch::kSm80, Layouts::kEvery, PrepareCompare},
    {Opcode::kSelect, "select", Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::kSelect, SelectFn>},
};

}  // namespace

std::vector<KernelTable> AllComparisonKernels() { return {kComparisonKernels}; }

}  // namespace tally::cuda
