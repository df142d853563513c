// How the kernels of Arm compute a block: 6 rows by the 16 columns of half a panel, sums in 24 of the 32 registers.
#pragma once

#include "ops/linear/packed/epilogue_neon.h"
#include "ops/linear/packed/walk.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

inline constexpr int kRows = 6;

// What a kernel sums up: R rows from `x` on, half a panel from `weights` on.
struct HalfPanel {
  const uint8_t* x;
  const uint8_t* weights;
  const int32_t* init;  // of these columns; null: 0

  TALLY_INLINE int32x4_t Init(int v) const {
    return init == nullptr ? vdupq_n_s32(0) : vld1q_s32(init + kLanes * v);
  }
};

// Sums::Of<R>(call, half panel, sums) writes the sums of R rows. Rows behind the tile's own are not stored.
template <typename Sums>
TALLY_INLINE void WalkHalfPanels(const BlockCall& c) {
  const auto block = [&]<int R>(int64_t tile, int64_t panel) __attribute__((always_inline)) {
    for (int64_t first = panel * kPanel; first < (panel + 1) * kPanel && first < c.columns; first += kGroup) {
      alignas(16) int32_t sums[R][kGroup];
      const HalfPanel half = {
          .x = c.x + c.tiles[tile].x_offset,
          .weights = c.weights + panel * c.panel_bytes() + first % kPanel * kGranule,
          .init = c.init == nullptr ? nullptr : c.init + first,
      };
      Sums::template Of<R>(c, half, sums);
      WithScale(*c.epilogue, [&]<Epilogue::Scale scale>() {
        GroupFinisher<scale>(c, first / kGroup).Rows(sums, c.rows + tile * kRows, R);
      });
    }
  };
  WalkBlocks(c, 1, [&](int64_t tile, int64_t, int64_t panel) {
    const int rows = c.tiles[tile].rows;
    if (rows > 4) return block.template operator()<kRows>(tile, panel);
    if (rows > 2) return block.template operator()<4>(tile, panel);
    block.template operator()<2>(tile, panel);
  });
}

}  // namespace
}  // namespace tally
