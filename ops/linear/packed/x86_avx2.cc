// AVX2: 4 rows by 16 columns in eight registers. vpmaddwd adds two exact products; the pair that would pass 2^31
// wraps, as block.h says. (vpmaddubsw saturates: nothing here uses it.)
#include <immintrin.h>

#include "ops/linear/packed/depthwise_loops.h"
#include "ops/linear/packed/epilogue.h"
#include "ops/linear/packed/kernels.h"
#include "ops/linear/packed/walk.h"

namespace tally {
namespace {

constexpr int kRows = 4;
constexpr int kVectors = 2;  // of 8 columns

void HalfPanel(const BlockCall& c, const RowTile& t, int64_t panel, int half, int32_t (*stored)[kPanel]) {
  const int32_t* init = c.init == nullptr ? nullptr : c.init + panel * kPanel + half * kGroup;
  __m256i sums[kRows][kVectors];
  for (auto& row : sums) {
    for (int v = 0; v < kVectors; ++v) {
      row[v] = init == nullptr ? _mm256_setzero_si256()
                               : _mm256_loadu_si256(reinterpret_cast<const __m256i*>(init + 8 * v));
    }
  }
  const uint8_t* w = c.weights + panel * c.panel_bytes() + half * kGroup * kGranule;
  for (int run = 0; run < c.num_runs; ++run) {
    const uint8_t* x = c.x + t.x_offset + c.runs[run];
    for (int64_t g = 0; g < c.granules_per_run; ++g, x += kGranule, w += kPanel * kGranule) {
      const __m256i w0 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w));
      const __m256i w1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w + 32));
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        int32_t pair;
        __builtin_memcpy(&pair, x + r * c.row_stride, sizeof pair);
        const __m256i row = _mm256_set1_epi32(pair);
        sums[r][0] = _mm256_add_epi32(sums[r][0], _mm256_madd_epi16(row, w0));
        sums[r][1] = _mm256_add_epi32(sums[r][1], _mm256_madd_epi16(row, w1));
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(stored[r] + half * kGroup + 8 * v), sums[r][v]);
    }
  }
}

}  // namespace

void WeightedSumsS16Avx2(const BlockCall& c) noexcept {
  WalkBlocks(c, 1, [&](int64_t tile, int64_t, int64_t panel) {
    const RowTile& t = c.tiles[tile];
    int32_t sums[kRows][kPanel];
    for (int half = 0; half < 2; ++half) HalfPanel(c, t, panel, half, sums);
    const int64_t* rows = c.rows + tile * kRows;
    for (int r = 0; r < t.rows; ++r) {
      if (rows[r] >= 0) StoreColumns(c, rows[r], panel * kPanel, kPanel, sums[r]);
    }
  });
}

void DepthwiseS16Avx2(const DepthwiseCall& c) noexcept { DepthwiseLoops(c); }

}  // namespace tally
