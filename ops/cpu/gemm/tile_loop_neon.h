// How the kernels of Arm compute a block: 6 rows by the 16 columns of half a panel, accumulators in 24 of the
// 32 registers.
#pragma once

#include "ops/cpu/gemm/epilogue_neon.h"
#include "ops/cpu/gemm/tile_loop.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

inline constexpr int kRows = 6;

// The products of a kernel: R rows from `x` on, half a panel from `weights` on.
struct HalfPanel {
  const uint8_t* x;
  const uint8_t* weights;
  const int32_t* init;  // for these columns; null: 0

  TALLY_INLINE int32x4_t Init(int v) const {
    return init == nullptr ? vdupq_n_s32(0) : vld1q_s32(init + kLanes * v);
  }
};

// Products::Of<R>(call, half panel, acc) writes the accumulators of R rows. Rows after the tile's own are
// not stored.
template <typename Sums>
TALLY_INLINE void ForEachHalfPanel(const GemmArgs& c) {
  const auto block = [&]<int R>(int64_t tile, int64_t panel) __attribute__((always_inline)) {
    for (int64_t first = panel * kPanel; first < (panel + 1) * kPanel && first < c.columns;
         first += kVectorColumns) {
      alignas(16) int32_t acc[R][kVectorColumns];
      const HalfPanel half = {
          .x = c.x + c.tiles[tile].x_offset,
          .weights = c.weights + panel * c.panel_bytes() + first % kPanel * kKGroup,
          .init = c.init == nullptr ? nullptr : c.init + first,
      };
      Sums::template Of<R>(c, half, acc);
      WithScale(*c.epilogue, [&]<Epilogue::Scale scale>() {
        VectorEpilogue<scale>(c, first / kVectorColumns).Rows(acc, c.rows + tile * kRows, R);
      });
    }
  };
  ForEachTile(c, 1, [&](int64_t tile, int64_t, int64_t panel) {
    const int rows = c.tiles[tile].rows;
    if (rows > 4) return block.template operator()<kRows>(tile, panel);
    if (rows > 2) return block.template operator()<4>(tile, panel);
    block.template operator()<2>(tile, panel);
  });
}

}  // namespace
}  // namespace tally
