// The epilogue over vectors of 16 sums.
#pragma once

#include <immintrin.h>

#include "ops/linear/packed/block.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

// (x * multiplier + addend) >> shift of 16 columns, the two halves of the products apart.
template <Epilogue::Scale scale>
struct VectorScale {
  __m512i multiplier, multiplier_odd, addend_even, addend_odd, shift;

  explicit VectorScale(const ScaleGroup& g)
      : multiplier(_mm512_load_si512(g.multiplier)),
        multiplier_odd(_mm512_load_si512(g.multiplier_odd)),
        addend_even(_mm512_load_si512(g.addend_even)),
        addend_odd(_mm512_load_si512(g.addend_odd)),
        shift(_mm512_load_si512(g.shift)) {}

  __m512i operator()(__m512i sum) const {
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(sum, multiplier), addend_even);
    const __m512i odd =
        _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(sum, 32), multiplier_odd), addend_odd);
    if constexpr (scale == Epilogue::Scale::kHighWord) {
      // The high words of the even products take the place of the low words of the odd ones.
      return _mm512_srav_epi32(_mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB), shift);
    } else {
      // Saturation to 32 bits keeps the order, and the clamp that follows lies within.
      const __m512i low = _mm512_set1_epi64(0xffffffff);
      const __m256i e = _mm512_cvtsepi64_epi32(_mm512_srav_epi64(even, _mm512_and_si512(shift, low)));
      const __m256i o = _mm512_cvtsepi64_epi32(_mm512_srav_epi64(odd, _mm512_srli_epi64(shift, 32)));
      const __m512i wide_odd = _mm512_slli_epi64(_mm512_cvtepu32_epi64(o), 32);
      return _mm512_or_si512(_mm512_cvtepu32_epi64(e), wide_odd);
    }
  }
};

struct VectorResidual {
  __m512i y_multiplier, r_multiplier, addend, high, low, addend_high, addend_low, lo, hi;
  __m128i shift;
  bool by_halves;

  explicit VectorResidual(const Epilogue::Residual& r)
      : y_multiplier(_mm512_set1_epi32(r.y_multiplier)),
        r_multiplier(_mm512_set1_epi32(r.r_multiplier)),
        addend(_mm512_set1_epi64(r.addend)),
        high(Pair(r.y_high, r.r_high)),
        low(Pair(r.y_low, r.r_low)),
        addend_high(_mm512_set1_epi32(r.addend_high)),
        addend_low(_mm512_set1_epi32(r.addend_low)),
        lo(_mm512_set1_epi32(r.lo)),
        hi(_mm512_set1_epi32(r.hi)),
        shift(_mm_cvtsi32_si128(r.by_halves ? r.shift - 16 : r.shift)),
        by_halves(r.by_halves) {}

  static __m512i Pair(int16_t y, int16_t r) {
    return _mm512_set1_epi32(static_cast<int32_t>(static_cast<uint16_t>(y) | static_cast<uint32_t>(r) << 16));
  }

  __m512i operator()(__m512i y, __m512i r) const {
    __m512i sum;
    if (by_halves) {
      const __m512i pairs = _mm512_mask_blend_epi16(0xaaaaaaaa, y, _mm512_slli_epi32(r, 16));
      const __m512i low_sum = _mm512_srai_epi32(_mm512_dpwssd_epi32(addend_low, pairs, low), 16);
      sum = _mm512_sra_epi32(_mm512_add_epi32(_mm512_dpwssd_epi32(addend_high, pairs, high), low_sum), shift);
    } else {
      const auto half = [&](__m512i a, __m512i b) {
        const __m512i products =
            _mm512_add_epi64(_mm512_mul_epi32(a, y_multiplier), _mm512_mul_epi32(b, r_multiplier));
        return _mm512_cvtsepi64_epi32(_mm512_sra_epi64(_mm512_add_epi64(products, addend), shift));
      };
      const __m256i even = half(y, r);
      const __m256i odd = half(_mm512_srli_epi64(y, 32), _mm512_srli_epi64(r, 32));
      sum = _mm512_or_si512(_mm512_cvtepu32_epi64(even), _mm512_slli_epi64(_mm512_cvtepu32_epi64(odd), 32));
    }
    return _mm512_min_epi32(_mm512_max_epi32(sum, lo), hi);
  }
};

// table[y + 128] of 64 signed bytes.
struct VectorTable {
  __m512i quarter[4];  // y = 0.., 64.., -128.., -64..

  explicit VectorTable(const int8_t* table) {
    for (int i = 0; i < 4; ++i) quarter[i] = _mm512_loadu_si512(table + (i ^ 2) * 64);
  }
  // Each instruction reads seven bits of the index; the sign chooses between the two.
  __m512i operator()(__m512i y) const {
    const __m512i positive = _mm512_permutex2var_epi8(quarter[0], y, quarter[1]);
    const __m512i negative = _mm512_permutex2var_epi8(quarter[2], y, quarter[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(y), positive, negative);
  }
};

inline __m512i LoadResidual(const BlockCall& c, int64_t index, __mmask16 mask) {
  if (c.epilogue->residual.storage == Storage::kI8) {
    return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(mask, c.residual + index));
  }
  return _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(mask, c.residual + 2 * index));
}

// Finishes `num_rows` rows of one panel: `sums` is [num_rows][kPanel], rows[r] < 0 is left out.
template <Epilogue::Scale scale, bool has_residual>
inline void FinishPanel(const BlockCall& c, const int32_t* sums, int num_rows, const int32_t* rows,
                        int64_t panel) {
  const Epilogue& e = *c.epilogue;
  const int64_t n0 = panel * kPanel;
  const int64_t columns = c.columns - n0 < kPanel ? c.columns - n0 : kPanel;
  const __mmask32 mask = columns == kPanel ? ~__mmask32{0} : (__mmask32{1} << columns) - 1;
  const ScaleGroup* g = e.groups + panel * (kPanel / kGroup);
  const VectorScale<scale> scale0(g[0]), scale1(g[1]);
  const __m512i lo = _mm512_set1_epi32(e.lo), hi = _mm512_set1_epi32(e.hi);
  const VectorResidual residual(e.residual);
  // The bytes of two rows: a pack leaves blocks of four in the order 0 0' 1 1' .. of each lane.
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);

  const auto finish = [&](int r, int half) __attribute__((always_inline)) {
    const __m512i sum = _mm512_load_si512(sums + r * kPanel + half * kGroup);
    __m512i y = half == 0 ? scale0(sum) : scale1(sum);
    if (scale != Epilogue::Scale::kHighWord || has_residual || e.storage != Storage::kI8) {
      y = _mm512_min_epi32(_mm512_max_epi32(y, lo), hi);
    }
    if constexpr (has_residual) {
      const auto m = static_cast<__mmask16>(half == 0 ? mask : mask >> kGroup);
      y = residual(y, LoadResidual(c, int64_t{rows[r]} * c.y_row + n0 + half * kGroup, m));
    }
    return y;
  };

  if (e.storage != Storage::kI8) {
    for (int r = 0; r < num_rows; ++r) {
      if (rows[r] < 0) continue;
      for (int half = 0; half < 2; ++half) {
        const auto m = static_cast<__mmask16>(half == 0 ? mask : mask >> kGroup);
        const int64_t index = int64_t{rows[r]} * c.y_row + n0 + half * kGroup;
        const __m512i y = finish(r, half);
        if (e.storage == Storage::kI16) {
          _mm256_mask_storeu_epi16(c.y + 2 * index, m, _mm512_cvtepi32_epi16(y));
        } else {
          _mm512_mask_storeu_epi32(c.y + 4 * index, m, y);
        }
      }
    }
    return;
  }

  const __m512i lo8 = _mm512_set1_epi8(static_cast<char>(has_residual ? e.residual.lo : e.lo));
  const __m512i hi8 = _mm512_set1_epi8(static_cast<char>(has_residual ? e.residual.hi : e.hi));
  for (int r = 0; r < num_rows; r += 2) {
    const int r1 = r + 1 < num_rows ? r + 1 : r;
    if (rows[r] < 0 && rows[r1] < 0) continue;
    const int safe0 = rows[r] < 0 ? r1 : r, safe1 = rows[r1] < 0 ? r : r1;
    // Saturation to 16 and then to 8 bits keeps the order, and the clamp lies within.
    const __m512i first = _mm512_packs_epi32(finish(safe0, 0), finish(safe0, 1));
    const __m512i second = _mm512_packs_epi32(finish(safe1, 0), finish(safe1, 1));
    __m512i y = _mm512_packs_epi16(first, second);
    y = _mm512_min_epi8(_mm512_max_epi8(y, lo8), hi8);
    if (e.table != nullptr) y = VectorTable(e.table)(y);
    y = _mm512_permutexvar_epi32(order, y);
    if (rows[r] >= 0) {
      _mm256_mask_storeu_epi8(c.y + int64_t{rows[r]} * c.y_row + n0, mask, _mm512_castsi512_si256(y));
    }
    if (r1 > r && rows[r1] >= 0) {
      _mm256_mask_storeu_epi8(c.y + int64_t{rows[r1]} * c.y_row + n0, mask, _mm512_extracti64x4_epi64(y, 1));
    }
  }
}

// Sums as they are.
inline void StorePanel(const BlockCall& c, const int32_t* sums, int num_rows, const int32_t* rows,
                       int64_t panel) {
  const int64_t n0 = panel * kPanel;
  for (int r = 0; r < num_rows; ++r) {
    if (rows[r] < 0) continue;
    for (int64_t n = n0; n < c.columns && n < n0 + kPanel; n += kGroup) {
      const int64_t left = c.columns - n;
      const auto m = static_cast<__mmask16>(left >= kGroup ? 0xffff : (1 << left) - 1);
      const int64_t index = int64_t{rows[r]} * c.y_row + n;
      const __m512i y = _mm512_load_si512(sums + r * kPanel + (n - n0));
      switch (c.epilogue->storage) {
        case Storage::kI8: _mm_mask_storeu_epi8(c.y + index, m, _mm512_cvtepi32_epi8(y)); break;
        case Storage::kI16: _mm256_mask_storeu_epi16(c.y + 2 * index, m, _mm512_cvtepi32_epi16(y)); break;
        default: _mm512_mask_storeu_epi32(c.y + 4 * index, m, y); break;
      }
    }
  }
}

template <Epilogue::Scale scale>
inline void FinishScaled(const BlockCall& c, const int32_t* sums, int num_rows, const int32_t* rows,
                         int64_t panel) {
  if (c.epilogue->has_residual) return FinishPanel<scale, true>(c, sums, num_rows, rows, panel);
  FinishPanel<scale, false>(c, sums, num_rows, rows, panel);
}

inline void Finish(const BlockCall& c, const int32_t* sums, int num_rows, const int32_t* rows,
                   int64_t panel) {
  switch (c.epilogue->scale) {
    case Epilogue::Scale::kNone: return StorePanel(c, sums, num_rows, rows, panel);
    case Epilogue::Scale::kHighWord:
      return FinishScaled<Epilogue::Scale::kHighWord>(c, sums, num_rows, rows, panel);
    case Epilogue::Scale::kAnyShift:
      return FinishScaled<Epilogue::Scale::kAnyShift>(c, sums, num_rows, rows, panel);
  }
}

}  // namespace
}  // namespace tally
