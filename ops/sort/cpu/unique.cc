#include <numeric>

#include "ops/sort/attrs.h"
#include "ops/sort/cpu/kernel_tables.h"
#include "ops/sort/cpu/sort_keys.h"

namespace tally {
namespace {

using sort::DistanceBits;
using sort::FitsKeys;
using sort::KeysOf;
using sort::Lines;
using sort::SortKeys;

// x as n slices of elements, slice k being x[.., k, ..] row-major; without an axis each element is a slice.
struct Slices {
  int64_t n, inner = 1, outer = 1;

  Slices(const Shape& x, const std::vector<int64_t>& axis) : n(x.num_elements()) {
    if (axis.empty()) return;
    const Lines lines(x, axis[0]);
    n = lines.n;
    inner = lines.inner;
    outer = lines.count / lines.inner;
  }
  int64_t size() const { return outer * inner; }
  // Where stretch o of slice k begins in a tensor whose axis has m slices.
  int64_t At(int64_t k, int64_t o, int64_t m) const { return (o * m + k) * inner; }
};

// Groups are those of equal slices, in ascending order.
struct UniqueBuffers {
  ScratchLayout scratch;
  int64_t* values;  // [n][size]
  uint64_t *keys, *other;
  int64_t *sorted, *group, *start, *order, *rank;  // slices in order; of each slice; of each group: its first
                                                   // slice among them, its entry's, its entry

  UniqueBuffers(const Slices& x, uint8_t* first) : scratch(first) {
    values = scratch.Take<int64_t>(x.n * x.size());
    keys = scratch.Take<uint64_t>(x.n);
    other = scratch.Take<uint64_t>(x.n);
    sorted = scratch.Take<int64_t>(x.n);
    group = scratch.Take<int64_t>(x.n);
    start = scratch.Take<int64_t>(x.n + 1);
    order = scratch.Take<int64_t>(x.n);
    rank = scratch.Take<int64_t>(x.n);
  }
};

// The slices in lexicographic order, those that appear first before their equals.
template <Isa isa>
void SortSlices(const KernelOperand& x, const Slices& slices, const UniqueBuffers& at) {
  const int64_t n = slices.n, size = slices.size();
  const Interval& interval = x.type->interval;
  if (size == 1 && FitsKeys(interval, n)) {
    const KeyArgs args = KeysOf(interval, n, 1, false);
    GetSortLoops<isa>().keys[CodeOf(x.storage)](x.bytes, n, args, at.keys);
    SortKeys(at.keys, at.other, n, args.position_bits, DistanceBits(interval));
    const uint64_t mask = (uint64_t{1} << args.position_bits) - 1;
    for (int64_t i = 0; i < n; ++i) at.sorted[i] = static_cast<int64_t>(at.keys[i] & mask);
    return;
  }
  std::iota(at.sorted, at.sorted + n, 0);
  std::sort(at.sorted, at.sorted + n, [&](int64_t p, int64_t q) {
    const int64_t *left = at.values + p * size, *right = at.values + q * size;
    const auto [l, r] = std::mismatch(left, left + size, right);
    return l == left + size ? p < q : *l < *r;
  });
}

struct UniqueParams {
  Slices slices;
  int64_t bound, padding;
  bool sorted;
};

std::optional<Prepared<UniqueParams>> PrepareUnique(const KernelFacts& facts) {
  const auto attrs = facts.attrs<UniqueAttrs>();
  const Slices slices(facts.operands[0].shape, attrs.axis);
  return Prepared<UniqueParams>{{slices, attrs.bound, attrs.value, attrs.sorted},
                                UniqueBuffers(slices, nullptr).scratch.bytes()};
}

// One thread does it all.
template <Isa isa>
void Unique(const UniqueParams& p, const KernelCall& call) noexcept {
  if (call.part != 0) return;
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const int64_t bound = p.bound;
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const Slices& slices = p.slices;
  const int64_t n = slices.n, size = slices.size(), inner = slices.inner;
  const UniqueBuffers at(slices, call.scratch);
  const auto set = [&](size_t result, int64_t i, int64_t value) {
    StoreElement(call.results[result].storage, call.results[result].bytes, i, value);
  };
  const int from = CodeOf(x.storage), to = CodeOf(y.storage), wide = CodeOf(Storage::kI64);
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t o = 0; o < slices.outer; ++o) {
      convert.convert[from][wide](x.bytes + slices.At(k, o, n) * SizeBytes(x.storage),
                                  at.values + k * size + o * inner, inner);
    }
  }
  SortSlices<isa>(x, slices, at);

  int64_t groups = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t* slice = at.values + at.sorted[i] * size;
    const bool opens = i == 0 || !std::equal(slice, slice + size, at.values + at.sorted[i - 1] * size);
    if (opens) at.start[groups++] = i;
    at.group[at.sorted[i]] = groups - 1;
  }
  at.start[groups] = n;
  // Equal slices are in ascending order of position: the first of a group appears first.
  const auto first_of = [&](int64_t group) { return at.sorted[at.start[group]]; };
  std::iota(at.order, at.order + groups, 0);
  if (!p.sorted) {
    std::sort(at.order, at.order + groups, [&](int64_t g, int64_t h) { return first_of(g) < first_of(h); });
  }
  for (int64_t r = 0; r < groups; ++r) at.rank[at.order[r]] = r;
  for (int64_t r = 0; r < bound; ++r) {
    const bool exists = r < groups;
    const int64_t group = exists ? at.order[r] : 0, first = first_of(group);
    for (int64_t o = 0; o < slices.outer; ++o) {
      uint8_t* const stretch = y.bytes + slices.At(r, o, bound) * SizeBytes(y.storage);
      if (exists) {
        convert.convert[wide][to](at.values + first * size + o * inner, stretch, inner);
      } else {
        convert.fill[to](stretch, inner, p.padding);
      }
    }
    set(1, r, exists ? first : -1);
    set(3, r, exists ? at.start[group + 1] - at.start[group] : 0);
  }
  for (int64_t i = 0; i < n; ++i) set(2, i, at.rank[at.group[i]]);
  set(4, 0, groups);
}

constexpr auto kUniqueKernels = EveryIsa<"unique">(
    {.op = Opcode::kUnique}, []<Isa isa>() { return kKernel<PrepareUnique, Unique<isa>>; });

}  // namespace

KernelTable UniqueKernels() { return kUniqueKernels; }

}  // namespace tally
