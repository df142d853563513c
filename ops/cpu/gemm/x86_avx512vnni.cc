// AVX-512 with VNNI: 14 rows by 32 columns in 28 registers. Each step reads four bytes of every column.
#include <immintrin.h>

#include "ops/cpu/gemm/epilogue_avx512.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/prefetch.h"
#include "ops/cpu/gemm/tile_loop.h"

namespace tally {
namespace {

template <Element element>
__m512i Dot(__m512i sum, __m512i x, __m512i w) {
  // The forms without saturation: accumulators wrap, as micro_kernel.h says.
  if constexpr (element == Element::kS16) return _mm512_dpwssd_epi32(sum, x, w);
  return _mm512_dpbusd_epi32(sum, x, w);
}

constexpr int kRows = 14;

// R rows of a tile; those after the tile's own read what follows and are not stored.
template <Element element, int R>
void Block(const GemmArgs& c, int64_t tile, int64_t panel, WeightPrefetch& prefetch) {
  const MTile& t = c.tiles[tile];
  __m512i acc[R][2];
  const bool zero = c.init == nullptr;
  const __m512i init0 = zero ? _mm512_setzero_si512() : _mm512_loadu_si512(c.init + panel * kPanel);
  const __m512i init1 =
      zero ? _mm512_setzero_si512() : _mm512_loadu_si512(c.init + panel * kPanel + kVectorColumns);
#pragma GCC unroll 14
  for (int r = 0; r < R; ++r) acc[r][0] = init0, acc[r][1] = init1;
  const uint8_t* w = c.weights + panel * c.panel_bytes();
  for (int segment = 0; segment < c.num_segments; ++segment) {
    const uint8_t* x = c.x + t.x_offset + c.segments[segment];
    const int64_t stride = c.row_stride;
    for (int64_t g = 0; g < c.k_groups_per_segment; ++g, x += kKGroup, w += kPanel * kKGroup) {
      const __m512i w0 = _mm512_loadu_si512(w), w1 = _mm512_loadu_si512(w + 64);
#pragma GCC unroll 14
      for (int r = 0; r < R; ++r) {
        int32_t bytes;
        __builtin_memcpy(&bytes, x + r * stride, sizeof bytes);
        const __m512i row = _mm512_set1_epi32(bytes);
        acc[r][0] = Dot<element>(acc[r][0], row, w0);
        acc[r][1] = Dot<element>(acc[r][1], row, w1);
      }
      prefetch.Step();
    }
  }
  constexpr int kPairs = (R + 1) / 2;
  alignas(64) int32_t stored[2 * kPairs * kPanel + kAccumulatorOverread];
#pragma GCC unroll 14
  for (int r = 0; r < R; ++r) {
    _mm512_store_si512(stored + r * kPanel, acc[r][0]);
    _mm512_store_si512(stored + r * kPanel + kVectorColumns, acc[r][1]);
  }
  ApplyEpilogue(c, stored, c.rows + tile * kRows, kPairs, panel);
}

template <Element element>
void Run(const GemmArgs& c) {
  WeightPrefetch prefetch(c, 1, c.num_segments * c.k_groups_per_segment);
  ForEachTile(c, 1, [&](int64_t tile, int64_t, int64_t panel) {
    prefetch.Visit(panel);
    const int rows = c.tiles[tile].rows;
    if (rows > 7) return Block<element, kRows>(c, tile, panel, prefetch);
    if (rows > 4) return Block<element, 7>(c, tile, panel, prefetch);
    if (rows > 2) return Block<element, 4>(c, tile, panel, prefetch);
    if (rows > 1) return Block<element, 2>(c, tile, panel, prefetch);
    Block<element, 1>(c, tile, panel, prefetch);
  });
}

}  // namespace

void GemmU8S8S32Avx512Vnni(const GemmArgs& c) noexcept { Run<Element::kBiasedS8>(c); }
void GemmS16S16S32Avx512Vnni(const GemmArgs& c) noexcept { Run<Element::kS16>(c); }

}  // namespace tally
