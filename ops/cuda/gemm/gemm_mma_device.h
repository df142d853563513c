// GEMM by mma.sync, on every architecture: warps load fragments of both sides into registers.
#pragma once

#include "ops/cuda/gemm/store_device.h"

namespace tally::cuda {

using LargeTile = GemmTile<128, 128, 64, 32, 64, 3>;
using SmallTile = GemmTile<64, 64, 32, 32, 64, 3>;

template <typename Tile>
TALLY_DEVICE void MultiplyStep(const Thread& t, int stage,
                               int32_t (&sums)[Tile::kWarpM / 16][Tile::kWarpN / 8][4]) {
  const int warp_row = t.warp() / Tile::kWarpsN * Tile::kWarpM,
            warp_column = t.warp() % Tile::kWarpsN * Tile::kWarpN;
  const int row = t.lane() % 8, matrix = t.lane() / 8;
  TALLY_UNROLL
  for (int half = 0; half < 2; ++half) {
    uint32_t a[Tile::kWarpM / 16][4], b[Tile::kWarpN / 8][2];
    TALLY_UNROLL
    for (int i = 0; i < Tile::kWarpM / 16; ++i) {
      t.LoadMatrix4(
          stage + Tile::ChunkOffset(warp_row + i * 16 + row + matrix % 2 * 8, half * 2 + matrix / 2), a[i]);
    }
    TALLY_UNROLL
    for (int j = 0; j < Tile::kWarpN / 8; j += 2) {
      uint32_t r[4];
      t.LoadMatrix4(stage + Tile::kM * Tile::kStepBytes +
                        Tile::ChunkOffset(warp_column + j * 8 + row + matrix / 2 * 8, half * 2 + matrix % 2),
                    r);
      b[j][0] = r[0], b[j][1] = r[1], b[j + 1][0] = r[2], b[j + 1][1] = r[3];
    }
    TALLY_UNROLL
    for (int i = 0; i < Tile::kWarpM / 16; ++i) {
      TALLY_UNROLL
      for (int j = 0; j < Tile::kWarpN / 8; ++j) t.MultiplyS8(sums[i][j], a[i], b[j]);
    }
  }
}

template <typename Tile>
TALLY_DEVICE void GemmMma(const Thread& t, const Memory& m, const GemmParams& p) {
  constexpr int kBlocksM = Tile::kWarpM / 16, kBlocksN = Tile::kWarpN / 8, kStages = Tile::kStages;
  const TileCoord tile(t, p, Tile::kM, Tile::kN);
  StepCopies<Tile> copies(t, m, p, tile);
  int32_t sums[kBlocksM][kBlocksN][4] = {};
  for (int step = 0; step < kStages - 1; ++step) copies.BeginNext();
  int step = 0;
  for (int term = 0; term < p.term_count; ++term) {
    if (p.terms[term].scales) {
      TALLY_UNROLL
      for (int i = 0; i < kBlocksM * kBlocksN * 4; ++i) {
        int32_t& sum = sums[i / 4 / kBlocksN][i / 4 % kBlocksN][i % 4];
        sum = TimesByte(sum);
      }
    }
    for (const int end = step + p.steps_of_term; step < end; ++step) {
      t.template WaitCopies<kStages - 2>();
      t.Barrier();  // step `step` is there, and everyone has left step - 1
      copies.BeginNext();
      MultiplyStep<Tile>(t, step % kStages * Tile::kStageBytes, sums);
    }
  }
  t.template WaitCopies<0>();
  StoreTile<Tile>(t, m, p, [&](int i, int j, int k) { return sums[i][j][k]; });
}

}  // namespace tally::cuda
