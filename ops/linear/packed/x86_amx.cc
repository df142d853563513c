// AMX: 32 rows by 32 columns in four tiles of sums. Each step reads 64 bytes of every row and column.
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstring>

#include "ops/linear/packed/epilogue_avx512.h"
#include "ops/linear/packed/kernels.h"
#include "ops/linear/packed/walk.h"

namespace tally {
namespace {

constexpr int kTileBytes = 64;  // of a row of a tile
constexpr int64_t kStepGranules = kTileBytes / kGranule;
constexpr int64_t kPanelStride = kPanel * kGranule;  // between the granules of a panel

struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// Tiles 0 to 3: sums [rows 0.., 16..][columns 0.., 16..]; 4 and 5: x; 6 and 7: w.
template <bool two_tiles>
void Block(const BlockCall& c, const RowTile* t, int64_t panel) {
  const int32_t* init = c.init + panel * kPanel;
  _tile_loadd(0, init, 0);  // the same line for every row
  _tile_loadd(1, init + kGroup, 0);
  if (two_tiles) {
    _tile_loadd(2, init, 0);
    _tile_loadd(3, init + kGroup, 0);
  }
  const uint8_t* w = c.weights + panel * c.panel_bytes();
  const int64_t stride = c.row_stride;
  for (int run = 0; run < c.num_runs; ++run) {
    const uint8_t* x0 = c.x + t[0].x_offset + c.runs[run];
    const uint8_t* x1 = c.x + t[two_tiles].x_offset + c.runs[run];
    for (int64_t g = 0; g < c.granules_per_run; g += kStepGranules) {
      _tile_loadd(4, x0, stride);
      _tile_loadd(6, w, kPanelStride);
      _tile_loadd(7, w + kTileBytes, kPanelStride);
      _tile_dpbssd(0, 4, 6);
      _tile_dpbssd(1, 4, 7);
      if (two_tiles) {
        _tile_loadd(5, x1, stride);
        _tile_dpbssd(2, 5, 6);
        _tile_dpbssd(3, 5, 7);
      }
      x0 += kTileBytes, x1 += kTileBytes;
      w += kStepGranules * kPanelStride;
    }
  }
  alignas(64) int32_t sums[2 * kMaxTileRows * kPanel];
  constexpr int64_t kSumStride = kPanel * sizeof(int32_t);
  _tile_stored(0, sums, kSumStride);
  _tile_stored(1, sums + kGroup, kSumStride);
  if (two_tiles) {
    _tile_stored(2, sums + kMaxTileRows * kPanel, kSumStride);
    _tile_stored(3, sums + kMaxTileRows * kPanel + kGroup, kSumStride);
  }
  Finish(c, sums, t[0].rows, c.rows + t[0].first, panel);
  if (two_tiles) Finish(c, sums + kMaxTileRows * kPanel, t[1].rows, c.rows + t[1].first, panel);
}

}  // namespace

void WeightedSumsS8Amx(const BlockCall& c) noexcept {
  TileConfig config;
  for (int tile = 0; tile < 8; ++tile) {
    config.row_bytes[tile] = kTileBytes;
    config.rows[tile] = kMaxTileRows;
  }
  _tile_loadconfig(&config);
  WalkBlocks(c, 2, [&](int64_t tile, int64_t count, int64_t panel) {
    if (count == 2) return Block<true>(c, c.tiles + tile, panel);
    Block<false>(c, c.tiles + tile, panel);
  });
  _tile_release();
}

}  // namespace tally

#endif
