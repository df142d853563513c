// GEMM of signed bytes without the matrix unit, by dp4a: where groups have few channels, or a product few
// rows. The operands are those of gemm_device.h.
#pragma once

#include "ops/cuda/gemm/gemm_device.h"

namespace tally::cuda {

TALLY_DEVICE void DotChunks(const Thread& t, int32_t& sum, const Bytes16& a, const Bytes16& b) {
  TALLY_UNROLL
  for (int i = 0; i < 4; ++i) t.Dot4(sum, a.words[i], b.words[i]);
}

// Chunk `chunk` of a tap of x, of which `source` is where its pixel begins.
TALLY_DEVICE Bytes16 ChunkOfX(const Memory& m, const Term& term, int64_t group_offset, int64_t source,
                              int chunk) {
  if (source < 0) return {term.fill, term.fill, term.fill, term.fill};
  return *reinterpret_cast<const Bytes16*>(m.at[GemmMemory::kX] + group_offset + term.x_offset + source +
                                           chunk * kChunk);
}

TALLY_DEVICE const Bytes16* ColumnOfWeights(const Thread& t, const Memory& m, const GemmParams& p,
                                            const Term& term, int64_t column) {
  return reinterpret_cast<const Bytes16*>(m.at[GemmMemory::kWeights] + t.block_z() * p.w_group +
                                          column * p.w_column + term.w_offset);
}

// The accumulator of a row and a column of this block's group.
TALLY_DEVICE void StoreAccumulator(const Thread& t, const Memory& m, const GemmParams& p, int64_t row,
                                   int64_t column, int32_t sum) {
  const Column& c = m.as<Column>(GemmMemory::kColumns)[t.block_z() * p.columns_group + column];
  uint32_t total = static_cast<uint32_t>(sum) + static_cast<uint32_t>(c.init);
  if (p.has_init) {
    total += static_cast<uint32_t>(
        Load(p.init_storage, m.at[GemmMemory::kInit], t.block_z() * p.init_group + column));
  }
  const int64_t image = ImageOfRow(p, row);
  ApplyEpilogue(p.epilogue, m, c, static_cast<int32_t>(total),
                t.block_z() * p.y_group + image * p.y_image + (row - image * p.pixels) * p.y_pixel +
                    column * p.y_column);
}

// One thread for each accumulator; neighbours share a row.
TALLY_DEVICE void GemmDp4a(const Thread& t, const Memory& m, const GemmParams& p) {
  const int64_t i = t.global_index(), row = i / p.columns, column = i - row * p.columns;
  if (row >= p.rows) return;
  const RowOrigin origin = OriginOfRow(p, row);
  const int64_t group_offset = t.block_z() * p.x_group;
  int32_t sum = 0;
  for (int j = 0; j < p.term_count; ++j) {
    const Term& term = p.terms[j];
    if (term.scales) sum = TimesByte(sum);
    const Bytes16* w = ColumnOfWeights(t, m, p, term, column);
    for (int tap = 0; tap < p.taps; ++tap) {
      const int64_t source = SourceOfTap(p.geometry, origin, m.as<Tap>(GemmMemory::kTaps)[tap]);
      for (int chunk = 0; chunk < p.chunks; ++chunk) {
        DotChunks(t, sum, ChunkOfX(m, term, group_offset, source, chunk), *w++);
      }
    }
  }
  StoreAccumulator(t, m, p, row, column, sum);
}

inline constexpr int kFewRows = 8;

// One warp for each column, which it reads once for all rows, at most kFewRows.
TALLY_DEVICE void SkinnyGemmDp4a(const Thread& t, const Memory& m, const GemmParams& p) {
  const int64_t column = t.global_index() / kWarp;
  if (column >= p.columns) return;
  const int64_t group_offset = t.block_z() * p.x_group;
  RowOrigin origins[kFewRows];
  TALLY_UNROLL
  for (int r = 0; r < kFewRows; ++r) {
    if (r < p.rows) origins[r] = OriginOfRow(p, r);
  }
  int32_t sums[kFewRows] = {};
  int64_t sources[kFewRows];
  int last_tap = -1;
  for (int j = 0; j < p.term_count; ++j) {
    const Term& term = p.terms[j];
    const Bytes16* const w = ColumnOfWeights(t, m, p, term, column);
    TALLY_UNROLL
    for (int r = 0; r < kFewRows; ++r) sums[r] = term.scales ? TimesByte(sums[r]) : sums[r];
    for (int k = t.lane(); k < p.taps * p.chunks; k += kWarp) {
      const Bytes16 weights = w[k];
      const int tap = k / p.chunks;
      if (tap != last_tap) {
        last_tap = tap;
        TALLY_UNROLL
        for (int r = 0; r < kFewRows; ++r) {
          if (r < p.rows) {
            sources[r] = SourceOfTap(p.geometry, origins[r], m.as<Tap>(GemmMemory::kTaps)[tap]);
          }
        }
      }
      TALLY_UNROLL
      for (int r = 0; r < kFewRows; ++r) {
        if (r < p.rows) {
          DotChunks(t, sums[r], ChunkOfX(m, term, group_offset, sources[r], k - tap * p.chunks), weights);
        }
      }
    }
  }
  int32_t sum = 0;  // for the row that this lane stores
  TALLY_UNROLL
  for (int r = 0; r < kFewRows; ++r) {
    if (r >= p.rows) continue;
    TALLY_UNROLL
    for (int mask = kWarp / 2; mask > 0; mask /= 2) {
      sums[r] = static_cast<int32_t>(static_cast<uint32_t>(sums[r]) +
                                     static_cast<uint32_t>(t.ShuffleXor(sums[r], mask)));
    }
    sum = t.lane() == r ? sums[r] : sum;
  }
  if (t.lane() < p.rows) StoreAccumulator(t, m, p, t.lane(), column, sum);
}

}  // namespace tally::cuda
