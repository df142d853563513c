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
using sort::SortPositions;
using sort::SortShuffledKeys;
using sort::WriteKeys;

struct SortBuffers {
  ScratchLayout scratch;
  uint64_t *keys, *other;

  SortBuffers(int64_t n, int64_t others, uint8_t* first)
      : scratch(first), keys(scratch.Take<uint64_t>(n)), other(scratch.Take<uint64_t>(others)) {}
};

// Whose values and positions fit a key.
struct LinesParams {
  Lines lines;
  KeyArgs keys;
};

std::optional<LinesParams> FitLines(const KernelFacts& facts, int64_t axis, bool descending) {
  const Interval& interval = facts.operands[0].interval;
  const Lines lines(facts.operands[0].shape, axis);
  if (!FitsKeys(interval, lines.n)) return std::nullopt;
  return LinesParams{lines, KeysOf(interval, lines.n, lines.inner, descending)};
}

std::optional<Prepared<LinesParams>> PrepareSort(const KernelFacts& facts) {
  const auto attrs = facts.attrs<SortAttrs>();
  const auto lines = FitLines(facts, attrs.axis, attrs.descending);
  if (!lines) return std::nullopt;
  const int64_t n = lines->lines.n;
  return Prepared<LinesParams>{*lines, SortBuffers(n, n, nullptr).scratch.bytes()};
}

// Calls write(keys, first) for the sorted lines of this part.
template <Isa isa, typename Write>
void ForEachSorted(const LinesParams& p, const KernelCall& call, Write write) {
  const SortLoops& loops = GetSortLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const Interval& interval = x.type->interval;
  const auto& [lines, args] = p;
  const SortBuffers at(lines.n, lines.n, call.scratch);
  const Share share = call.ShareOf(lines.count);
  for (int64_t line = share.begin; line < share.end; ++line) {
    const int64_t first = lines.First(line, lines.n);
    loops.keys[CodeOf(x.storage)](x.bytes + first * SizeBytes(x.storage), lines.n, args, at.keys);
    SortKeys(at.keys, at.other, lines.n, args.position_bits, DistanceBits(interval));
    write(at.keys, first);
  }
}

// Keys that are held before the worst of them are dropped.
int64_t MostHeld(int64_t k) { return std::max<int64_t>(2 * k, 128); }

// The first k of n keys in order, at the front of `best`, which has room for MostHeld(k): keys that are
// after the worst of k others are left out as they come.
template <Isa isa>
void SelectKeys(const KernelOperand& x, int64_t first, int64_t n, int64_t k, KeyArgs args, uint64_t* best) {
  const SortLoops& loops = GetSortLoops<isa>();
  const int64_t most = MostHeld(k);
  ChunkBuffer block;
  auto* keys = reinterpret_cast<uint64_t*>(block.bytes);
  uint64_t worst = ~uint64_t{0};
  int64_t held = 0;
  for (int64_t at = 0; at < n; at += kChunk) {
    const int64_t count = std::min(kChunk, n - at);
    args.first = at;
    loops.keys[CodeOf(x.storage)](x.bytes + (first + at * args.stride) * SizeBytes(x.storage), count, args,
                                  keys);
    for (int64_t i = 0; i < count; ++i) {
      if (keys[i] > worst) continue;
      best[held++] = keys[i];
      if (held < most) continue;
      std::nth_element(best, best + k - 1, best + held);
      held = k;
      worst = best[k - 1];
    }
  }
  std::nth_element(best, best + k - 1, best + held);
  SortShuffledKeys(best, best + k, k, args.position_bits, DistanceBits(x.type->interval));
}

// Where most of a line is chosen, sorting all of it is less work than choosing.
bool SortsAll(int64_t n, int64_t k) { return n <= 4 * k; }

// The keys of a line come first. Those after the first k are free once these are chosen.
int64_t TopKKeys(int64_t n, int64_t k) { return SortsAll(n, k) ? 2 * n : MostHeld(k); }

template <Isa isa>
void Sort(const LinesParams& p, const KernelCall& call) noexcept {
  ForEachSorted<isa>(p, call, [&](const uint64_t* keys, int64_t first) {
    WriteKeys<isa>(GetSortLoops<isa>().values, keys, p.lines.n, p.keys, call.results[0], first,
                   p.lines.inner);
  });
}

template <Isa isa>
void ArgSort(const LinesParams& p, const KernelCall& call) noexcept {
  ForEachSorted<isa>(p, call, [&](const uint64_t* keys, int64_t first) {
    WriteKeys<isa>(GetSortLoops<isa>().positions, keys, p.lines.n, p.keys, call.results[0], first,
                   p.lines.inner);
  });
}

struct TopKParams {
  LinesParams lines;
  TopKAttrs attrs;
};

std::optional<Prepared<TopKParams>> PrepareTopK(const KernelFacts& facts) {
  const auto attrs = facts.attrs<TopKAttrs>();
  const auto lines = FitLines(facts, attrs.axis, attrs.largest);
  if (!lines) return std::nullopt;
  return Prepared<TopKParams>{{*lines, attrs}, TopKKeys(lines->lines.n, attrs.k) * 8};
}

template <Isa isa>
void TopK(const TopKParams& p, const KernelCall& call) noexcept {
  const SortLoops& loops = GetSortLoops<isa>();
  const TopKAttrs& attrs = p.attrs;
  const KernelOperand& x = call.operands[0];
  const auto& [lines, args] = p.lines;
  auto* best = reinterpret_cast<uint64_t*>(call.scratch);
  const Share share = call.ShareOf(lines.count);
  for (int64_t line = share.begin; line < share.end; ++line) {
    const int64_t first = lines.First(line, lines.n);
    if (SortsAll(lines.n, attrs.k)) {
      loops.keys[CodeOf(x.storage)](x.bytes + first * SizeBytes(x.storage), lines.n, args, best);
      SortKeys(best, best + lines.n, lines.n, args.position_bits, DistanceBits(x.type->interval));
    } else {
      SelectKeys<isa>(x, first, lines.n, attrs.k, args, best);
    }
    if (attrs.order == TopKOrder::kIndex) SortPositions(best, best + attrs.k, attrs.k, args.position_bits);
    const int64_t to = lines.First(line, attrs.k);
    WriteKeys<isa>(loops.values, best, attrs.k, args, call.results[0], to, lines.inner);
    WriteKeys<isa>(loops.positions, best, attrs.k, args, call.results[1], to, lines.inner);
  }
}

constexpr auto kSortKernels = JoinKernels(
    EveryIsa<"sort">({.op = Opcode::kSort}, []<Isa isa>() { return kKernel<PrepareSort, Sort<isa>>; }),
    EveryIsa<"arg_sort">({.op = Opcode::kArgSort},
                         []<Isa isa>() { return kKernel<PrepareSort, ArgSort<isa>>; }),
    EveryIsa<"top_k">({.op = Opcode::kTopK}, []<Isa isa>() { return kKernel<PrepareTopK, TopK<isa>>; }));

}  // namespace

KernelTable SortKernels() { return kSortKernels; }

}  // namespace tally
