// For any machine: 16-bit elements, so that one kernel serves both widths.
#include <cstring>

#include "ops/cpu/gemm/depthwise_loops.h"
#include "ops/cpu/gemm/epilogue.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/tile_loop.h"

namespace tally {

void GemmS16S16S32Portable(const GemmArgs& c) noexcept {
  ForEachTile(c, 1, [&](int64_t tile, int64_t, int64_t panel) {
    const MTile& t = c.tiles[tile];
    const int64_t* rows = c.rows + tile * kMaxTileRows;
    for (int r = 0; r < t.rows; ++r) {
      if (rows[r] < 0) continue;
      uint32_t acc[kPanel];
      if (c.init == nullptr) {
        std::memset(acc, 0, sizeof acc);
      } else {
        std::memcpy(acc, c.init + panel * kPanel, sizeof acc);
      }
      const auto* w = reinterpret_cast<const int16_t*>(c.weights + panel * c.panel_bytes());
      for (int segment = 0; segment < c.num_segments; ++segment) {
        const uint8_t* x = c.x + t.x_offset + r * c.row_stride + c.segments[segment];
        for (int64_t g = 0; g < c.k_groups_per_segment; ++g, w += 2 * kPanel) {
          int16_t pair[2];
          std::memcpy(pair, x + g * kKGroup, sizeof pair);
          for (int n = 0; n < kPanel; ++n) {
            acc[n] +=
                static_cast<uint32_t>(pair[0] * w[2 * n]) + static_cast<uint32_t>(pair[1] * w[2 * n + 1]);
          }
        }
      }
      StoreColumns(c, rows[r], panel * kPanel, kPanel, reinterpret_cast<const int32_t*>(acc));
    }
  });
}

void DepthwiseS16Portable(const DepthwiseCall& c) noexcept { DepthwiseLoops(c); }

}  // namespace tally
