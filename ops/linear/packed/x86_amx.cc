// AMX: 32 rows by 32 columns in four tiles of sums. Each step reads 64 bytes of every row and column.
#include <immintrin.h>

#include <cstring>

#include "ops/linear/packed/epilogue_avx512.h"
#include "ops/linear/packed/kernels.h"
#include "ops/linear/packed/prefetch.h"
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

// Numbers of tiles are part of the instructions, hence macros. Starts the two tiles of sums of 16 rows.
#define TALLY_START_SUMS(sum0, sum1, init)   \
  if ((init) == nullptr) {                   \
    _tile_zero(sum0);                        \
    _tile_zero(sum1);                        \
  } else { /* the same line for every row */ \
    _tile_loadd(sum0, init, 0);              \
    _tile_loadd(sum1, (init) + kGroup, 0);   \
  }

constexpr int64_t kSumStride = kPanel * sizeof(int32_t);
constexpr int kTileSums = kMaxTileRows * kPanel;  // of one tile of rows
constexpr int kTilePairs = kMaxTileRows / 2;

// A block whose sums are in memory.
struct StoredBlock {
  const int32_t* sums = nullptr;
  const int64_t* rows = nullptr;  // as in BlockCall
  int64_t panel = 0;
  int pairs = 0;
};

template <Epilogue::Scale scale, Residual residual, bool bytes>
class Blocks {
 public:
  explicit Blocks(const BlockCall& c) : c_(c) {
    const int64_t slots = c.num_runs * (c.granules_per_run / kStepGranules) + 3;
    pairs_at_once_ = static_cast<int>((2 * kTilePairs + slots - 1) / slots);
  }

  // Two tiles of rows by one panel: four products for four loads. Tiles 0 to 3: sums [rows 0.., 16..][columns 0.., 16..];
  // 4 and 5: x; 6 and 7: w. The sums of the block before are finished meanwhile, a few rows after each step: the
  // matrix unit and the vector units work at the same time only on instructions that lie close together.
  template <bool two_tiles>
  void Block(int64_t tile, int64_t panel, WeightPrefetch& prefetch) {
    const BlockCall& c = c_;
    const RowTile* t = c.tiles + tile;
    const StoredBlock before = stored_;
    const PanelFinisher<scale, residual, bytes> finisher(c, before.panel);
    const int pairs_at_once = pairs_at_once_;
    int pair = 0;
    const auto finish = [&](int pairs) __attribute__((always_inline)) {
      for (const int end = pair + pairs < before.pairs ? pair + pairs : before.pairs; pair < end; ++pair) {
        finisher.Pair(before.sums + pair * 2 * kPanel, before.rows + pair * 2);
      }
    };

    const int32_t* init = c.init == nullptr ? nullptr : c.init + panel * kPanel;
    TALLY_START_SUMS(0, 1, init)
    if (two_tiles) {
      TALLY_START_SUMS(2, 3, init)
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
        prefetch.Step();
        finish(pairs_at_once);
        x0 += kTileBytes, x1 += kTileBytes;
        w += kStepGranules * kPanelStride;
      }
    }
    int32_t* sums = sums_[which_ ^= 1];
    constexpr int kTiles = two_tiles ? 4 : 2;
#pragma GCC unroll 4
    for (int i = 0; i < kTiles; ++i) {
      switch (i) {
        case 0: _tile_stored(0, sums, kSumStride); break;
        case 1: _tile_stored(1, sums + kGroup, kSumStride); break;
        case 2: _tile_stored(2, sums + kTileSums, kSumStride); break;
        case 3: _tile_stored(3, sums + kTileSums + kGroup, kSumStride); break;
      }
      finish(i + 1 < kTiles ? pairs_at_once : before.pairs);
    }
    stored_ = {sums, c.rows + tile * kMaxTileRows, panel,
               two_tiles * kTilePairs + (t[two_tiles].rows + 1) / 2};
  }

  // The sums of the last block.
  void FinishLast() { Finish(c_, stored_.sums, stored_.rows, stored_.pairs, stored_.panel); }

 private:
  const BlockCall& c_;
  StoredBlock stored_;
  int pairs_at_once_;
  int which_ = 0;
  alignas(64) int32_t sums_[2][2 * kTileSums + kGroup];  // kSumsOverread, and a whole line
};

}  // namespace

void WeightedSumsS8Amx(const BlockCall& c) noexcept {
  TileConfig config;
  for (int tile = 0; tile < 8; ++tile) {
    config.row_bytes[tile] = kTileBytes;
    config.rows[tile] = kMaxTileRows;
  }
  asm volatile("" ::: "memory");  // GCC 12's intrinsic names only the first bytes that it reads
  _tile_loadconfig(&config);
  WeightPrefetch prefetch(c, 2, c.num_runs * (c.granules_per_run / kStepGranules));
  WithEpilogue(*c.epilogue, [&]<Epilogue::Scale scale, Residual residual, bool bytes>() {
    Blocks<scale, residual, bytes> blocks(c);
    WalkBlocks(c, 2, [&](int64_t tile, int64_t count, int64_t panel) {
      prefetch.Visit(panel);
      if (count == 2) return blocks.template Block<true>(tile, panel, prefetch);
      blocks.template Block<false>(tile, panel, prefetch);
    });
    blocks.FinishLast();
  });
  _tile_release();
}

}  // namespace tally
