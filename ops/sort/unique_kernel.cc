#include <numeric>

#include "ops/simd/kernel_attrs.h"
#include "ops/sort/attrs.h"
#include "ops/sort/kernels.h"
#include "ops/sort/sort_keys_kernel.h"

namespace tally {
namespace {

// Of n elements; groups are those of equal elements, in ascending order.
struct Buffers {
  ScratchLayout scratch;
  uint64_t *keys, *other;
  int64_t *group, *start, *order,
      *rank;  // of each element; of each group: its first key, its entry's, its entry

  Buffers(int64_t n, uint8_t* first) : scratch(first) {
    keys = scratch.Take<uint64_t>(n);
    other = scratch.Take<uint64_t>(n);
    group = scratch.Take<int64_t>(n);
    start = scratch.Take<int64_t>(n + 1);
    order = scratch.Take<int64_t>(n);
    rank = scratch.Take<int64_t>(n);
  }
};

}  // namespace

bool AcceptsUnique(const KernelFacts& facts) {
  const Shape& x = facts.operands[0].shape;
  const auto axes = AttrList<UniqueAttrs>(facts, &UniqueAttrs::axis);
  const bool elements = axes.empty() || Lines(x, axes[0]).n == x.num_elements();
  return elements && FitsKeys(facts.operands[0].interval, x.num_elements());
}

int64_t UniqueScratchBytes(const KernelFacts& facts) {
  return Buffers(facts.operands[0].shape.num_elements(), nullptr).scratch.bytes();
}

template <Isa isa>
void UniqueKernel(const KernelCall& call) noexcept {
  if (call.part != 0) return;
  const SortLoops& loops = GetSortLoops<isa>();
  const auto bound = AttrOf<UniqueAttrs>(call, &UniqueAttrs::bound),
             padding = AttrOf<UniqueAttrs>(call, &UniqueAttrs::value);
  const KernelOperand& x = call.operands[0];
  const Interval& interval = x.type->interval;
  const int64_t n = x.type->shape.num_elements();
  const Buffers at(n, call.scratch);
  const KeyArgs args = KeysOf(interval, n, 1, false);
  const uint64_t mask = (uint64_t{1} << args.position_bits) - 1;
  const auto set = [&](size_t result, int64_t i, int64_t value) {
    StoreElement(call.results[result].storage, call.results[result].bytes, i, value);
  };
  loops.keys[CodeOf(x.storage)](x.bytes, n, args, at.keys);
  SortKeys(at.keys, at.other, n, args.position_bits, DistanceBits(interval));

  int64_t groups = 0;
  for (int64_t i = 0; i < n; ++i) {
    const bool opens = i == 0 || at.keys[i] >> args.position_bits != at.keys[i - 1] >> args.position_bits;
    if (opens) at.start[groups++] = i;
    at.group[at.keys[i] & mask] = groups - 1;
  }
  at.start[groups] = n;
  // Equal elements are in ascending order of position: the first of a group appears first.
  const auto first_of = [&](int64_t group) { return static_cast<int64_t>(at.keys[at.start[group]] & mask); };
  std::iota(at.order, at.order + groups, 0);
  if (!AttrOf<UniqueAttrs>(call, &UniqueAttrs::sorted)) {
    std::sort(at.order, at.order + groups, [&](int64_t g, int64_t h) { return first_of(g) < first_of(h); });
  }
  for (int64_t r = 0; r < groups; ++r) at.rank[at.order[r]] = r;
  for (int64_t r = 0; r < bound; ++r) {
    const bool exists = r < groups;
    const int64_t group = exists ? at.order[r] : 0, first = first_of(group);
    set(0, r, exists ? LoadElement(x.storage, x.bytes, first) : padding);
    set(1, r, exists ? first : -1);
    set(3, r, exists ? at.start[group + 1] - at.start[group] : 0);
  }
  for (int64_t i = 0; i < n; ++i) set(2, i, at.rank[at.group[i]]);
  set(4, 0, groups);
}

TALLY_INSTANTIATE_KERNEL(UniqueKernel);

}  // namespace tally
