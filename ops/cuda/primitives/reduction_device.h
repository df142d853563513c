// Reductions for devices: one thread, or the 32 lanes of one warp, for each result.
#pragma once

#include "ops/cuda/elements.h"
#include "ops/cuda/loops.h"

namespace tally::cuda {

// The elements of x that meet in a result: element k of result o is at outer offset o plus inner offset k.
struct GroupShape {
  Loops<1> outer;  // over the result, in the order of its memory
  Loops<1> inner;
  bool by_warp;
  Storage x, y;

  TALLY_DEVICE int lanes() const { return by_warp ? kWarp : 1; }
};

TALLY_DEVICE int64_t OffsetOf(const Loops<1>& loops, int64_t i) {
  int64_t offsets[1];
  loops.OffsetsOf(i, offsets);
  return offsets[0];
}

// The numbers of ReduceKind.
enum class FoldKind { kSum, kMax, kMin, kProduct };

TALLY_DEVICE int64_t Folded2(FoldKind kind, int64_t a, int64_t b) {
  switch (kind) {
    case FoldKind::kSum: return WrapAdd(a, b);
    case FoldKind::kMax: return a < b ? b : a;
    case FoldKind::kMin: return b < a ? b : a;
    case FoldKind::kProduct: break;
  }
  return WrapMul(a, b);
}

struct ReduceParams {
  GroupShape groups;
  FoldKind kind;
};

// Memory: x, the result. Lanes without an element hold the first one of max and min, else what changes
// nothing.
TALLY_DEVICE void Reduce(const Thread& t, const Memory& m, const ReduceParams& p) {
  const GroupShape& g = p.groups;
  const int64_t result = t.global_index() / g.lanes(), o = result < g.outer.count ? result : 0;
  const int64_t first = OffsetOf(g.outer, o);
  const auto at = [&](int64_t k) { return Load(g.x, m.at[0], first + OffsetOf(g.inner, k)); };
  int64_t value = p.kind == FoldKind::kSum ? 0 : p.kind == FoldKind::kProduct ? 1 : at(0);
  for (int64_t k = g.by_warp ? t.lane() : 0; k < g.inner.count; k += g.lanes()) {
    value = Folded2(p.kind, value, at(k));
  }
  if (g.by_warp) {
    for (int mask = kWarp / 2; mask > 0; mask /= 2) value = Folded2(p.kind, value, t.ShuffleXor(value, mask));
  }
  if (result < g.outer.count && (!g.by_warp || t.lane() == 0)) Store(g.y, m.at[1], result, value);
}

struct ArgExtremeParams {
  GroupShape groups;
  bool greatest, highest;  // the greatest or the least element; the highest or the lowest of its places
};

// Whether element b at place kb wins over element a at place ka.
TALLY_DEVICE bool Wins(const ArgExtremeParams& p, int64_t b, int64_t kb, int64_t a, int64_t ka) {
  if (a == b) return p.highest ? kb > ka : kb < ka;
  return p.greatest ? b > a : b < a;
}

// Memory: x, the result.
TALLY_DEVICE void ArgExtreme(const Thread& t, const Memory& m, const ArgExtremeParams& p) {
  const GroupShape& g = p.groups;
  const int64_t result = t.global_index() / g.lanes(), o = result < g.outer.count ? result : 0;
  const int64_t first = OffsetOf(g.outer, o);
  const auto at = [&](int64_t k) { return Load(g.x, m.at[0], first + OffsetOf(g.inner, k)); };
  int64_t best = 0, value = at(0);
  for (int64_t k = g.by_warp ? t.lane() : 0; k < g.inner.count; k += g.lanes()) {
    const int64_t candidate = at(k);
    if (Wins(p, candidate, k, value, best)) best = k, value = candidate;
  }
  if (g.by_warp) {
    for (int mask = kWarp / 2; mask > 0; mask /= 2) {
      const int64_t other = t.ShuffleXor(value, mask), other_best = t.ShuffleXor(best, mask);
      if (Wins(p, other, other_best, value, best)) best = other_best, value = other;
    }
  }
  if (result < g.outer.count && (!g.by_warp || t.lane() == 0)) Store(g.y, m.at[1], result, best);
}

struct CumulativeSumParams {
  int64_t lines;
  int64_t length, inner;  // for the axis; elements between its neighbours
  bool exclusive, reverse;
  Storage x, y;
};

// Memory: x, the result. One thread for each line along the axis.
TALLY_DEVICE void CumulativeSum(const Thread& t, const Memory& m, const CumulativeSumParams& p) {
  const int64_t line = t.global_index();
  if (line >= p.lines) return;
  const int64_t first = line / p.inner * p.inner * p.length + line % p.inner;
  int64_t sum = 0;
  for (int64_t step = 0; step < p.length; ++step) {
    const int64_t at = first + (p.reverse ? p.length - 1 - step : step) * p.inner;
    const int64_t next = WrapAdd(sum, Load(p.x, m.at[0], at));
    Store(p.y, m.at[1], at, p.exclusive ? sum : next);
    sum = next;
  }
}

}  // namespace tally::cuda
