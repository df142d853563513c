// Inclusive prefix sums for devices, modulo 2^64: of tiles in shared memory, then of the totals of the tiles.
//
// What is summed up is a function of the kernel that needs it:
//
//   struct MaskTerms {
//     Storage mask;
//     TALLY_DEVICE int64_t operator()(const Memory& m, int64_t i) const { return Load(mask, m.at[kTermsAt], i) != 0; }
//   };
//   TALLY_CUDA_KERNEL(PrefixSumsOfMask, PrefixSums<MaskTerms>)  // in device_kernels.inc
#pragma once

#include "ops/cuda/elements.h"

namespace tally::cuda {

inline constexpr int kSumThreads = 256;
inline constexpr int kSumsOfThread = 8;
inline constexpr int kSumTile = kSumThreads * kSumsOfThread;
inline constexpr int kTermsAt = 2;  // the memory that terms read, from here on

// Where term i of a tile is in shared memory: threads read eight in a row, from different banks.
TALLY_DEVICE int OffsetOfTerm(int i) { return (i + i / kSumsOfThread) * 8; }
inline constexpr int kWarpTotalsOffset = (kSumTile + kSumThreads) * 8;
inline constexpr int kSumSharedBytes = kWarpTotalsOffset + kSumThreads / kWarp * 8;

template <typename Terms>
struct PrefixSumsParams {
  int64_t count;
  Terms terms;
};

// Memory: the sums in i64, the totals of the tiles in i64, what the terms read. A block for each tile.
template <typename Terms>
TALLY_DEVICE void PrefixSums(const Thread& t, const Memory& m, const PrefixSumsParams<Terms>& p) {
  const int64_t tile = int64_t{t.block_x()} * kSumTile;
  for (int i = t.x(); i < kSumTile; i += kSumThreads) {
    t.StoreShared(OffsetOfTerm(i), tile + i < p.count ? p.terms(m, tile + i) : int64_t{0});
  }
  t.Barrier();
  const int first = t.x() * kSumsOfThread;
  int64_t before = 0, total = 0;  // for the lanes before this one; for the warp, in the end
  for (int i = first; i < first + kSumsOfThread; ++i) {
    total = WrapAdd(total, t.LoadShared<int64_t>(OffsetOfTerm(i)));
  }
  for (int mask = 1; mask < kWarp; mask *= 2) {
    const int64_t other = t.ShuffleXor(total, mask);
    if ((t.lane() & mask) != 0) before = WrapAdd(before, other);
    total = WrapAdd(total, other);
  }
  if (t.lane() == 0) t.StoreShared(kWarpTotalsOffset + t.warp() * 8, total);
  t.Barrier();
  for (int warp = 0; warp < t.warp(); ++warp) {
    before = WrapAdd(before, t.LoadShared<int64_t>(kWarpTotalsOffset + warp * 8));
  }
  for (int i = first; i < first + kSumsOfThread; ++i) {
    before = WrapAdd(before, t.LoadShared<int64_t>(OffsetOfTerm(i)));
    t.StoreShared(OffsetOfTerm(i), before);
  }
  if (t.x() == kSumThreads - 1) m.as<int64_t>(1)[t.block_x()] = before;
  t.Barrier();
  for (int i = t.x(); i < kSumTile; i += kSumThreads) {
    if (tile + i < p.count) m.as<int64_t>(0)[tile + i] = t.LoadShared<int64_t>(OffsetOfTerm(i));
  }
}

struct StoredTerms {
  TALLY_DEVICE int64_t operator()(const Memory& m, int64_t i) const { return m.as<int64_t>(kTermsAt)[i]; }
};

struct AddTotalsParams {
  int64_t count;
};

// Memory: the sums of each tile, the sums of the totals.
TALLY_DEVICE void AddTotals(const Thread& t, const Memory& m, const AddTotalsParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count || i < kSumTile) return;
  int64_t& sum = m.as<int64_t>(0)[i];
  sum = WrapAdd(sum, m.as<int64_t>(1)[i / kSumTile - 1]);
}

// The sum of the terms before term i.
TALLY_DEVICE int64_t SumBefore(const int64_t* sums, int64_t i) { return i == 0 ? 0 : sums[i - 1]; }

struct ListKeptParams {
  int64_t count;
  int64_t n;  // per line
  Storage number;
};

// Memory: the sums of terms that are 1 for what is kept of [lines, n] and else 0; for each line the positions
// that are kept, in their order, in i64 [lines, n]; how many those are.
TALLY_DEVICE void ListKept(const Thread& t, const Memory& m, const ListKeptParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t* sums = m.as<int64_t>(0);
  const int64_t line = i / p.n, first = line * p.n, before = SumBefore(sums, first);
  if (sums[i] != SumBefore(sums, i)) m.as<int64_t>(1)[first + sums[i] - before - 1] = i - first;
  if (i == first + p.n - 1) Store(p.number, m.at[2], line, sums[i] - before);
}

}  // namespace tally::cuda
