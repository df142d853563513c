// AVX2: 4 rows by 16 columns in eight registers. vpmaddwd adds two exact products; the pair that would pass
// 2^31 wraps, as micro_kernel.h says. (vpmaddubsw saturates: nothing here uses it.)
#include <immintrin.h>

#include "ops/cpu/gemm/depthwise_loops.h"
#include "ops/cpu/gemm/epilogue.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/tile_loop.h"

namespace tally {
namespace {

constexpr int kRows = 4;
constexpr int kVectors = 2;  // 8 columns

void HalfPanel(const GemmArgs& c, const MTile& t, int64_t panel, int half, int32_t (*stored)[kPanel]) {
  const int32_t* init = c.init == nullptr ? nullptr : c.init + panel * kPanel + half * kVectorColumns;
  __m256i acc[kRows][kVectors];
  for (auto& row : acc) {
    for (int v = 0; v < kVectors; ++v) {
      row[v] = init == nullptr ? _mm256_setzero_si256()
                               : _mm256_loadu_si256(reinterpret_cast<const __m256i*>(init + 8 * v));
    }
  }
  const uint8_t* w = c.weights + panel * c.panel_bytes() + half * kVectorColumns * kKGroup;
  for (int segment = 0; segment < c.num_segments; ++segment) {
    const uint8_t* x = c.x + t.x_offset + c.segments[segment];
    for (int64_t g = 0; g < c.k_groups_per_segment; ++g, x += kKGroup, w += kPanel * kKGroup) {
      const __m256i w0 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w));
      const __m256i w1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w + 32));
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        int32_t pair;
        __builtin_memcpy(&pair, x + r * c.row_stride, sizeof pair);
        const __m256i row = _mm256_set1_epi32(pair);
        acc[r][0] = _mm256_add_epi32(acc[r][0], _mm256_madd_epi16(row, w0));
        acc[r][1] = _mm256_add_epi32(acc[r][1], _mm256_madd_epi16(row, w1));
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(stored[r] + half * kVectorColumns + 8 * v), acc[r][v]);
    }
  }
}

}  // namespace

void GemmS16S16S32Avx2(const GemmArgs& c) noexcept {
  ForEachTile(c, 1, [&](int64_t tile, int64_t, int64_t panel) {
    const MTile& t = c.tiles[tile];
    int32_t acc[kRows][kPanel];
    for (int half = 0; half < 2; ++half) HalfPanel(c, t, panel, half, acc);
    const int64_t* rows = c.rows + tile * kRows;
    for (int r = 0; r < t.rows; ++r) {
      if (rows[r] >= 0) StoreColumns(c, rows[r], panel * kPanel, kPanel, acc[r]);
    }
  });
}

void DepthwiseS16Avx2(const DepthwiseCall& c) noexcept { DepthwiseLoops(c); }

}  // namespace tally
