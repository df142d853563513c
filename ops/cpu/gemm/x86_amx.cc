// AMX: 32 rows by 32 columns in four tiles of accumulators. Each step reads 64 bytes of every row and column.
// Not on Windows, where a program asks for tiles in another way and GCC 12's macros for them lose half of a
// stride.
#if !defined(_WIN32)
#include <immintrin.h>

#include <cstring>

#include "ops/cpu/gemm/epilogue_vectors.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/prefetch.h"
#include "ops/cpu/gemm/simd_avx512vnni.h"
#include "ops/cpu/gemm/tile_loop.h"

namespace tally {
namespace {

constexpr int kTileBytes = 64;  // for a row of a tile
constexpr int64_t kStepKGroups = kTileBytes / kKGroup;
constexpr int64_t kPanelStride = kPanel * kKGroup;  // between the K-groups of a panel

struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// Numbers of tiles are part of the instructions, hence macros. Initialises the two tiles of accumulators of
// 16 rows.
#define TALLY_INIT_ACCUMULATORS(sum0, sum1, init)  \
  if ((init) == nullptr) {                         \
    _tile_zero(sum0);                              \
    _tile_zero(sum1);                              \
  } else { /* the same line for every row */       \
    _tile_loadd(sum0, init, 0);                    \
    _tile_loadd(sum1, (init) + kVectorColumns, 0); \
  }

constexpr int64_t kAccumulatorStride = kPanel * sizeof(int32_t);
constexpr int kTileAccumulators = kMaxTileRows * kPanel;  // for one tile of rows
constexpr int kTilePairs = kMaxTileRows / 2;

// A block whose accumulators are in memory.
struct StoredTile {
  const int32_t* acc = nullptr;
  const int64_t* rows = nullptr;  // as in GemmArgs
  int64_t panel = 0;
  int pairs = 0;
};

template <Epilogue::Scale scale, Residual residual, bool bytes>
class Blocks {
 public:
  explicit Blocks(const GemmArgs& c) : c_(c) {
    const int64_t slots = c.num_segments * (c.k_groups_per_segment / kStepKGroups) + 3;
    pairs_at_once_ = static_cast<int>((2 * kTilePairs + slots - 1) / slots);
  }

  // Two tiles of rows by one panel: four products for four loads. Tiles 0 to 3: accumulators [rows 0..,
  // 16..][columns 0.., 16..]; 4 and 5: x; 6 and 7: w. The accumulators of the block before are finished
  // meanwhile, a few rows after each step: the matrix unit and the vector units work at the same time only on
  // instructions that are close together.
  template <bool two_tiles>
  void Block(int64_t tile, int64_t panel, WeightPrefetch& prefetch) {
    const GemmArgs& c = c_;
    const MTile* t = c.tiles + tile;
    const StoredTile before = stored_;
    const PanelEpilogue<Avx512Vnni, scale, residual, bytes, /*adds_init=*/true> finisher(c, before.panel);
    const int pairs_at_once = pairs_at_once_;
    int pair = 0;
    const auto finish = [&](int pairs) __attribute__((always_inline)) {
      for (const int end = pair + pairs < before.pairs ? pair + pairs : before.pairs; pair < end; ++pair) {
        finisher.Rows(before.acc + pair * 2 * kPanel, before.rows + pair * 2);
      }
    };

    // The short form adds it in its epilogue: a tile of zeroes needs no port for loads.
    constexpr bool kAdded = scale == Epilogue::Scale::kShort;
    const int32_t* init = kAdded || c.init == nullptr ? nullptr : c.init + panel * kPanel;
    TALLY_INIT_ACCUMULATORS(0, 1, init)
    if (two_tiles) {
      TALLY_INIT_ACCUMULATORS(2, 3, init)
    }
    const uint8_t* w = c.weights + panel * c.panel_bytes();
    const int64_t stride = c.row_stride;
    const bool streams = c.streams_weights;
    for (int segment = 0; segment < c.num_segments; ++segment) {
      const uint8_t* x0 = c.x + t[0].x_offset + c.segments[segment];
      const uint8_t* x1 = c.x + t[two_tiles].x_offset + c.segments[segment];
      for (int64_t g = 0; g < c.k_groups_per_segment; g += kStepKGroups) {
        _tile_loadd(4, x0, stride);
        if (streams) {
          _tile_stream_loadd(6, w, kPanelStride);
          _tile_stream_loadd(7, w + kTileBytes, kPanelStride);
        } else {
          _tile_loadd(6, w, kPanelStride);
          _tile_loadd(7, w + kTileBytes, kPanelStride);
        }
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
        w += kStepKGroups * kPanelStride;
      }
    }
    int32_t* acc = acc_[which_ ^= 1];
    constexpr int kTiles = two_tiles ? 4 : 2;
#pragma GCC unroll 4
    for (int i = 0; i < kTiles; ++i) {
      switch (i) {
        case 0: _tile_stored(0, acc, kAccumulatorStride); break;
        case 1: _tile_stored(1, acc + kVectorColumns, kAccumulatorStride); break;
        case 2: _tile_stored(2, acc + kTileAccumulators, kAccumulatorStride); break;
        case 3: _tile_stored(3, acc + kTileAccumulators + kVectorColumns, kAccumulatorStride); break;
      }
      finish(i + 1 < kTiles ? pairs_at_once : before.pairs);
    }
    stored_ = {acc, c.rows + tile * kMaxTileRows, panel,
               two_tiles * kTilePairs + (t[two_tiles].rows + 1) / 2};
  }

  // The accumulators of the last block.
  void StoreLast() {
    const FinishRows finish = FinishRowsOf<Avx512Vnni, /*adds_init=*/true>(*c_.epilogue);
    finish(c_, stored_.acc, stored_.rows, 2 * stored_.pairs, stored_.panel);
  }

 private:
  const GemmArgs& c_;
  StoredTile stored_;
  int pairs_at_once_;
  int which_ = 0;
  // KAccumulatorOverread, and a whole line.
  alignas(64) int32_t acc_[2][2 * kTileAccumulators + kVectorColumns];
};

}  // namespace

void GemmS8S8S32Amx(const GemmArgs& c) noexcept {
  TileConfig config;
  for (int tile = 0; tile < 8; ++tile) {
    config.row_bytes[tile] = kTileBytes;
    config.rows[tile] = kMaxTileRows;
  }
  asm volatile("" ::: "memory");  // GCC 12's intrinsic names only the first bytes that it reads
  _tile_loadconfig(&config);
  WeightPrefetch prefetch(c, 2, c.num_segments * (c.k_groups_per_segment / kStepKGroups));
  WithEpilogue(*c.epilogue, [&]<Epilogue::Scale scale, Residual residual, bool bytes>() {
    Blocks<scale, residual, bytes> blocks(c);
    ForEachTile(c, 2, [&](int64_t tile, int64_t count, int64_t panel) {
      prefetch.Visit(panel);
      if (count == 2) return blocks.template Block<true>(tile, panel, prefetch);
      blocks.template Block<false>(tile, panel, prefetch);
    });
    blocks.StoreLast();
  });
  _tile_release();
}

}  // namespace tally
#endif  // !defined(_WIN32)
