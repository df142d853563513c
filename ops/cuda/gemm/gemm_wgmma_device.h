// GEMM by wgmma, on sm_90a: warpgroups multiply what is in shared memory, while their threads bring what
// comes next.
//
// A step has 128 bytes of depth, laid out as the unit wants it (ops/cuda/matrix_descriptor.h): the swizzle
// that keeps banks apart is the one of ChunkOffset. Each of two warpgroups multiplies 64 rows by all columns.
#pragma once

#include "ops/cuda/gemm/store_device.h"

namespace tally::cuda {

// Whose rows of registers fill a multiprocessor with one block, and with two.
using WideTile = GemmTile<128, 256, 16, 256, kSwizzledRowBytes, 4>;
using NarrowTile = GemmTile<128, 128, 16, 128, kSwizzledRowBytes, 3>;

template <typename Tile>
TALLY_DEVICE void GemmWgmma(const Thread& t, const Memory& m, const GemmParams& p) {
  static_assert(Tile::kWarpN == Tile::kN && Tile::kWarpM * kWarpgroup / kWarp == 64);
  static_assert(Tile::kStepBytes == kSwizzledRowBytes && Tile::kStageBytes % kAtomBytes == 0);
  if constexpr (!Thread::kHasWarpgroups) {
    t.Trap();  // rows for sm_90a alone launch this
  } else {
    constexpr int kDepth = 32;                 // bytes of one product
    constexpr int kAhead = Tile::kStages - 2;  // steps: of those after, one may still be multiplied
    const int rows = t.warp() / (kWarpgroup / kWarp) * 64 * Tile::kStepBytes;
    const TileCoord tile(t, p, Tile::kM, Tile::kN);
    StepCopies<Tile> copies(t, m, p, tile);
    WarpgroupAccumulators<Tile::kN> sums(t);
    for (int step = 0; step < kAhead; ++step) copies.BeginNext();
    int step = 0;
    for (int term = 0; term < p.term_count; ++term) {
      if (p.terms[term].scales) {
        TALLY_UNROLL
        for (int i = 0; i < Tile::kN / 2; ++i) sums.Set(i, TimesByte(sums.Get(i)));
      }
      const int end = step + p.steps_of_term;
      do {
        t.template WaitCopies<kAhead - 1>();
        t.FenceAsyncProxy();
        t.Barrier();  // step `step` is there, and everyone's products of step - 2 are done
        const int stage = step % Tile::kStages * Tile::kStageBytes;
        t.FenceAccumulators();
        TALLY_UNROLL
        for (int byte = 0; byte < Tile::kStepBytes; byte += kDepth) {
          t.MultiplyWarpgroup(sums, t.DescribeMatrix(stage + rows + byte),
                              t.DescribeMatrix(stage + Tile::kM * Tile::kStepBytes + byte));
        }
        t.CommitProducts();
        copies.BeginNext();
        t.template WaitProducts<1>();
      } while (++step < end);  // ptxas lets products overlap in a loop that it knows to be entered
      t.template WaitProducts<0>();
    }
    t.template WaitCopies<0>();
    StoreTile<Tile>(t, m, p, [&](int, int j, int k) { return sums.Get(j * 4 + k); });
  }
}

}  // namespace tally::cuda
