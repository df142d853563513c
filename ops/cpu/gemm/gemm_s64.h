// The micro-kernel of 64-bit accumulators (s64_accumulation.h): a few rows by two vectors of columns, whose
// accumulators of 32 and of 64 bits stay in registers. A unit with TALLY_S64_AVX512VNNI or TALLY_S64_AVX2 has
// included <immintrin.h>; others get plain vectors.
#pragma once

#include <cstring>

#include "ops/cpu/gemm/s64_accumulation.h"
#include "ops/cpu/gemm/tile_loop.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

#if defined(TALLY_S64_AVX512VNNI)
constexpr int kVectorBytes = 64, kRowsAtOnce = 4;
#elif defined(TALLY_S64_AVX2)
constexpr int kVectorBytes = 32, kRowsAtOnce = 2;
#else
constexpr int kVectorBytes = 16, kRowsAtOnce = 2;
#endif
constexpr int kLanes = kVectorBytes / 4;  // columns of a vector of 32-bit accumulators
constexpr int kStrip = 2 * kLanes;        // columns whose accumulators are in registers
typedef uint32_t U32s __attribute__((vector_size(kVectorBytes)));
typedef int32_t S32s __attribute__((vector_size(kVectorBytes)));
typedef uint64_t U64s __attribute__((vector_size(kVectorBytes)));
typedef int64_t S64s __attribute__((vector_size(kVectorBytes)));
typedef uint32_t UnalignedU32s __attribute__((vector_size(kVectorBytes), aligned(4), may_alias));

// sum plus both products of the pairs of 16 bits in each word, modulo 2^32.
inline U32s AddPairs(U32s sum, U32s x, U32s w) {
#if defined(TALLY_S64_AVX512VNNI)
  return (U32s)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)x, (__m512i)w);
#elif defined(TALLY_S64_AVX2)
  return sum + (U32s)_mm256_madd_epi16((__m256i)x, (__m256i)w);
#else
  const auto low = [](U32s v) { return (S32s)(v << 16) >> 16; };
  const auto high = [](U32s v) { return (S32s)v >> 16; };
  return sum + (U32s)(low(x) * low(w)) + (U32s)(high(x) * high(w));
#endif
}

// The products of the low words of each pair of words, as signed numbers.
inline U64s Product(U64s x, U64s w) {
#if defined(TALLY_S64_AVX512VNNI)
  return (U64s)_mm512_mul_epi32((__m512i)x, (__m512i)w);
#elif defined(TALLY_S64_AVX2)
  return (U64s)_mm256_mul_epi32((__m256i)x, (__m256i)w);
#else
  const auto low = [](U64s v) { return (S64s)(v << 32) >> 32; };
  return (U64s)(low(x) * low(w));
#endif
}

// The sums of a strip: [rows][vectors][columns 0, 2, .. and columns 1, 3, ..]
template <int R>
using Totals = U64s[R][2][2];

// Calls add(x of the segment, w, K-groups) for stretches of at most `most` K-groups, and close() after every
// `most` of them and after the last.
template <typename Add, typename Close>
__attribute__((always_inline)) inline void ForBlocks(const GemmArgs& c, const uint8_t* x, const uint8_t* w,
                                                     int64_t most, Add add, Close close) {
  int64_t left = most;
  for (int segment = 0; segment < c.num_segments; ++segment) {
    for (int64_t g = 0; g < c.k_groups_per_segment;) {
      const int64_t n = left < c.k_groups_per_segment - g ? left : c.k_groups_per_segment - g;
      add(x + c.segments[segment] + g * kKGroup, w, n);
      w += n * kPanel * kKGroup;
      g += n;
      left -= n;
      if (left > 0) continue;
      close();
      left = most;
    }
  }
  if (left < most) close();
}

template <int R>
inline void AddStrip16(const GemmArgs& c, const uint8_t* x, const uint8_t* w, Totals<R>& totals) {
  const U32s start = U32s{} - static_cast<uint32_t>(c.s64->least);
  U32s acc[R][2];
  for (auto& row : acc) row[0] = row[1] = start;
  const int64_t stride = c.row_stride;
  ForBlocks(
      c, x, w, c.s64->k_groups,
      [&](const uint8_t* at, const uint8_t* from, int64_t n) __attribute__((always_inline)) {
        for (; n > 0; --n, at += kKGroup, from += kPanel * kKGroup) {
          const U32s w0 = *reinterpret_cast<const UnalignedU32s*>(from);
          const U32s w1 = *reinterpret_cast<const UnalignedU32s*>(from + kVectorBytes);
#pragma GCC unroll 4
          for (int r = 0; r < R; ++r) {
            uint32_t pair;
            __builtin_memcpy(&pair, at + r * stride, sizeof pair);
            const U32s row = U32s{} + pair;
            acc[r][0] = AddPairs(acc[r][0], row, w0);
            acc[r][1] = AddPairs(acc[r][1], row, w1);
          }
        }
      },
      [&]() __attribute__((always_inline)) {
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r) {
          for (int v = 0; v < 2; ++v) {
            const auto pairs = (U64s)acc[r][v];
            totals[r][v][0] += pairs & 0xffffffffu;
            totals[r][v][1] += pairs >> 32;
            acc[r][v] = start;
          }
        }
      });
}

template <int R>
inline void AddStrip32(const GemmArgs& c, const uint8_t* x, const uint8_t* w, Totals<R>& totals) {
  const int64_t stride = c.row_stride;
  ForBlocks(
      c, x, w, c.k_groups_per_segment,
      [&](const uint8_t* at, const uint8_t* from, int64_t n) __attribute__((always_inline)) {
        for (; n > 0; --n, at += kKGroup, from += kPanel * kKGroup) {
          const auto w0 = (U64s) * reinterpret_cast<const UnalignedU32s*>(from);
          const auto w1 = (U64s) * reinterpret_cast<const UnalignedU32s*>(from + kVectorBytes);
#pragma GCC unroll 4
          for (int r = 0; r < R; ++r) {
            uint32_t element;
            __builtin_memcpy(&element, at + r * stride, sizeof element);
            const U64s row = U64s{} + element;
            totals[r][0][0] += Product(row, w0);
            totals[r][0][1] += Product(row, w0 >> 32);
            totals[r][1][0] += Product(row, w1);
            totals[r][1][1] += Product(row, w1 >> 32);
          }
        }
      },
      [] {});
}

// The accumulators of R rows of a panel, without their init. Strips after the last column keep 0.
template <Element element, int R>
void SumRows(const GemmArgs& c, const uint8_t* x, int64_t panel, uint64_t (*acc)[kPanel]) {
  const int64_t panel_bytes = c.num_segments * c.k_groups_per_segment * kPanel * kKGroup;
  const int64_t columns = c.columns - panel * kPanel;
  for (int strip = 0; strip < kPanel && strip < columns; strip += kStrip) {
    const uint8_t* w = c.weights + panel * panel_bytes + strip * kKGroup;
    Totals<R> totals = {};
    if constexpr (element == Element::kS16) {
      AddStrip16<R>(c, x, w, totals);
    } else {
      AddStrip32<R>(c, x, w, totals);
    }
    for (int r = 0; r < R; ++r) {
      for (int v = 0; v < 2; ++v) {
        uint64_t* to = acc[r] + strip + v * kLanes;
        for (int i = 0; i < kLanes; ++i) to[i] = totals[r][v][i % 2][i / 2];
      }
    }
  }
}

// Requantizes the accumulators of a panel, a number for each column.
struct PanelScale {
  uint64_t start[kPanel], multiplier[kPanel], addend[kPanel];
  int64_t shift[kPanel];

  PanelScale(const GemmArgs& c, int64_t panel, uint64_t blocks) {
    const S64Accumulation& s = *c.s64;
    for (int n = 0; n < kPanel; ++n) {
      const int64_t init = s.init == nullptr ? 0 : s.init[panel * kPanel + n];
      start[n] = static_cast<uint64_t>(init) + blocks * static_cast<uint64_t>(s.least);
      if (c.epilogue->scale == Epilogue::Scale::kNone) continue;
      const ScaleGroup& group = c.epilogue->groups[(panel * kPanel + n) / kVectorColumns];
      const int i = n % kVectorColumns;
      multiplier[n] = static_cast<uint64_t>(int64_t{group.multiplier[i]});
      addend[n] = static_cast<uint64_t>((i % 2 == 0 ? group.addend_even : group.addend_odd)[i / 2]);
      shift[n] = group.shift[i];
    }
  }
};

template <typename T>
inline void StoreAs(const int64_t* values, int64_t count, uint8_t* y) {
  T narrow[kPanel];
  for (int n = 0; n < kPanel; ++n) narrow[n] = static_cast<T>(values[n]);
  if (count == kPanel) {
    __builtin_memcpy(y, narrow, sizeof narrow);
  } else {
    __builtin_memcpy(y, narrow, count * sizeof(T));
  }
}

inline void FinishRow(const GemmArgs& c, const PanelScale& scale, const uint64_t* acc, int64_t row,
                      int64_t panel) {
  const Epilogue& e = *c.epilogue;
  int64_t values[kPanel];
  for (int n = 0; n < kPanel; ++n) values[n] = static_cast<int64_t>(acc[n] + scale.start[n]);
  if (e.scale != Epilogue::Scale::kNone) {
    const int64_t lo = e.lo, hi = e.hi;
    for (int n = 0; n < kPanel; ++n) {
      const auto product = static_cast<uint64_t>(values[n]) * scale.multiplier[n] + scale.addend[n];
      const int64_t v = static_cast<int64_t>(product) >> scale.shift[n];
      const int64_t raised = v < lo ? lo : v;
      values[n] = raised > hi ? hi : raised;
    }
  }
  const int64_t first = panel * kPanel, left = c.columns - first, count = left < kPanel ? left : kPanel;
  const int64_t index = row + first;
  switch (e.storage) {
    case Storage::kI8: return StoreAs<int8_t>(values, count, c.y + index);
    case Storage::kI16: return StoreAs<int16_t>(values, count, c.y + 2 * index);
    case Storage::kI32: return StoreAs<int32_t>(values, count, c.y + 4 * index);
    case Storage::kI64: return StoreAs<int64_t>(values, count, c.y + 8 * index);
  }
}

template <Element element>
void RunGemmS64(const GemmArgs& c) {
  const int64_t k_groups = c.num_segments * c.k_groups_per_segment;
  const int64_t at_once = element == Element::kS16 ? c.s64->k_groups : k_groups;
  const auto blocks = static_cast<uint64_t>((k_groups + at_once - 1) / at_once);
  ForEachTile(c, 1, [&](int64_t tile, int64_t, int64_t panel) {
    const MTile& t = c.tiles[tile];
    const int64_t* rows = c.rows + tile * kMaxTileRows;
    const PanelScale scale(c, panel, blocks);
    for (int r = 0; r < t.rows;) {
      uint64_t acc[kRowsAtOnce][kPanel] = {};
      const uint8_t* x = c.x + t.x_offset + r * c.row_stride;
      const int count = t.rows - r >= kRowsAtOnce ? kRowsAtOnce : 1;
      if (count == 1) {
        SumRows<element, 1>(c, x, panel, acc);
      } else {
        SumRows<element, kRowsAtOnce>(c, x, panel, acc);
      }
      for (int i = 0; i < count; ++i, ++r) {
        if (rows[r] >= 0) FinishRow(c, scale, acc[i], rows[r], panel);
      }
    }
  });
}

}  // namespace
}  // namespace tally
