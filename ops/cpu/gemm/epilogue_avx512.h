// The epilogue over vectors of 16 accumulators.
#pragma once

#include <immintrin.h>

#include "ops/cpu/gemm/micro_kernel.h"

// Vectors that must stay in registers through the loop of a kernel.
#define TALLY_INLINE __attribute__((always_inline)) inline

namespace tally {
namespace {  // every unit compiles its own, for its instructions

// (x * multiplier + addend) >> shift of 16 columns, the two halves of the products apart.
template <Epilogue::Scale scale>
struct VectorScale {
  __m512i multiplier, multiplier_odd, addend_even, addend_odd, shift;

  TALLY_INLINE explicit VectorScale(const ScaleGroup& g)
      : multiplier(_mm512_load_si512(g.multiplier)),
        multiplier_odd(_mm512_load_si512(g.multiplier_odd)),
        addend_even(_mm512_load_si512(g.addend_even)),
        addend_odd(_mm512_load_si512(g.addend_odd)),
        shift(_mm512_load_si512(g.shift)) {}

  TALLY_INLINE __m512i operator()(__m512i sum) const { return Scaled(sum, _mm512_srli_epi64(sum, 32)); }

  // The odd columns of accumulators in memory, after whose end 4 bytes may be read: there a load does what a
  // shift does here.
  TALLY_INLINE __m512i operator()(const int32_t* acc) const {
    return Scaled(_mm512_load_si512(acc), _mm512_loadu_si512(acc + 1));
  }

 private:
  // `odd_sums` has accumulators 1, 3, .. at 0, 2, ..
  TALLY_INLINE __m512i Scaled(__m512i acc, __m512i odd_sums) const {
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(acc, multiplier), addend_even);
    const __m512i odd = _mm512_add_epi64(_mm512_mul_epi32(odd_sums, multiplier_odd), addend_odd);
    if constexpr (scale == Epilogue::Scale::kHighWord) {
      // The high words of the even products take the place of the low words of the odd ones.
      return _mm512_srav_epi32(_mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB), shift);
    } else {
      // Saturation to 32 bits keeps the order, and the clamp that follows is within.
      const __m512i low = _mm512_set1_epi64(0xffffffff);
      const __m256i e = _mm512_cvtsepi64_epi32(_mm512_srav_epi64(even, _mm512_and_si512(shift, low)));
      const __m256i o = _mm512_cvtsepi64_epi32(_mm512_srav_epi64(odd, _mm512_srli_epi64(shift, 32)));
      const __m512i wide_odd = _mm512_slli_epi64(_mm512_cvtepu32_epi64(o), 32);
      return _mm512_or_si512(_mm512_cvtepu32_epi64(e), wide_odd);
    }
  }
};

struct VectorResidual {
  __m512i y_multiplier, r_multiplier, addend, high, low, addend_high, addend_low, half_shift, lo, hi;
  __m128i shift;
  bool by_halves;

  TALLY_INLINE explicit VectorResidual(const Epilogue::Residual& r)
      : y_multiplier(_mm512_set1_epi32(r.y_multiplier)),
        r_multiplier(_mm512_set1_epi32(r.r_multiplier)),
        addend(_mm512_set1_epi64(r.addend)),
        high(Pair(r.y_high, r.r_high)),
        low(Pair(r.y_low, r.r_low)),
        addend_high(_mm512_set1_epi32(r.addend_high)),
        addend_low(_mm512_set1_epi32(r.addend_low)),
        half_shift(_mm512_set1_epi32(r.half_shift)),
        lo(_mm512_set1_epi32(r.lo)),
        hi(_mm512_set1_epi32(r.hi)),
        shift(_mm_cvtsi32_si128(r.shift)),
        by_halves(r.by_halves) {}

  static __m512i Pair(int16_t y, int16_t r) {
    return _mm512_set1_epi32(static_cast<int32_t>(static_cast<uint16_t>(y) | static_cast<uint32_t>(r) << 16));
  }

  // By halves, of pairs of 16 bits: y, and above it the residual. The clamp is left to do.
  TALLY_INLINE __m512i Halves(__m512i pairs) const {
    const __m512i low_sum = _mm512_srai_epi32(_mm512_dpwssd_epi32(addend_low, pairs, low), 16);
    const __m512i sum = _mm512_add_epi32(_mm512_dpwssd_epi32(addend_high, pairs, high), low_sum);
    return _mm512_srav_epi32(sum, half_shift);
  }

  TALLY_INLINE __m512i operator()(__m512i y, __m512i r) const {
    __m512i sum;
    if (by_halves) {
      sum = Halves(_mm512_mask_blend_epi16(0xaaaaaaaa, y, _mm512_slli_epi32(r, 16)));
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

  TALLY_INLINE explicit VectorTable(const int8_t* table) {
    for (int i = 0; i < 4; ++i) quarter[i] = _mm512_loadu_si512(table + (i ^ 2) * 64);
  }
  // Each instruction reads seven bits of the index; the sign chooses between the two.
  TALLY_INLINE __m512i operator()(__m512i y) const {
    const __m512i positive = _mm512_permutex2var_epi8(quarter[0], y, quarter[1]);
    const __m512i negative = _mm512_permutex2var_epi8(quarter[2], y, quarter[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(y), positive, negative);
  }
};

TALLY_INLINE __m512i LoadResidual(const GemmArgs& c, int64_t index, __mmask16 mask) {
  if (c.epilogue->residual.storage == Storage::kI8) {
    return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(mask, c.residual + index));
  }
  return _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(mask, c.residual + 2 * index));
}

// Residuals of a panel as 16 bits, in the order in which a pack to 16 bits leaves two vectors of 32 bits: of
// each lane four columns of the first half, then four of the second.
TALLY_INLINE __m512i LoadResidualI32(const GemmArgs& c, int64_t index, __mmask32 mask) {
  if (c.epilogue->residual.storage == Storage::kI8) {
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i bytes = _mm256_maskz_loadu_epi8(mask, c.residual + index);
    return _mm512_cvtepi8_epi16(_mm256_permutevar8x32_epi32(bytes, order));
  }
  const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
  return _mm512_permutexvar_epi64(order, _mm512_maskz_loadu_epi16(mask, c.residual + 2 * index));
}

inline constexpr int kAccumulatorOverread = 1;

enum class Residual {
  kNone,
  kHalves,  // Epilogue::Residual::by_halves; only of bytes
  kAny,
};

// Finishes accumulators of one panel, two rows at a time. `bytes`: y is requantized to 8 bits.
template <Epilogue::Scale scale, Residual residual, bool bytes>
class PanelEpilogue {
 public:
  TALLY_INLINE PanelEpilogue(const GemmArgs& c, int64_t panel)
      : c_(c),
        n0_(panel * kPanel),
        mask_(c.columns - n0_ < kPanel ? (__mmask32{1} << (c.columns - n0_)) - 1 : ~__mmask32{0}),
        scale0_(GroupOf(c, panel, 0)),
        scale1_(GroupOf(c, panel, 1)),
        residual_(c.epilogue->residual),
        lo_(FirstClamp(c.epilogue->lo)),
        hi_(FirstClamp(c.epilogue->hi)),
        lo8_(_mm512_set1_epi8(static_cast<char>(kHasResidual ? c.epilogue->residual.lo : c.epilogue->lo))),
        hi8_(_mm512_set1_epi8(static_cast<char>(kHasResidual ? c.epilogue->residual.hi : c.epilogue->hi))) {}

  // `acc`: of two rows, on a cache line; kAccumulatorOverread more may be read. `rows`: as in GemmArgs.
  TALLY_INLINE void Pair(const int32_t* acc, const int64_t* rows) const {
    if constexpr (bytes) {
      Bytes(acc, rows[0], rows[1]);
    } else {
      Wide(acc, rows[0]);
      Wide(acc + kPanel, rows[1]);
    }
  }

 private:
  static constexpr bool kScaled = scale != Epilogue::Scale::kNone;
  static constexpr bool kHasResidual = residual != Residual::kNone;
  using Scale = VectorScale<kScaled ? scale : Epilogue::Scale::kHighWord>;

  static const ScaleGroup& GroupOf(const GemmArgs& c, int64_t panel, int half) {
    static const ScaleGroup kNoScale = {};
    return kScaled ? c.epilogue->groups[panel * (kPanel / kVectorColumns) + half] : kNoScale;
  }
  __mmask16 mask(int half) const {
    return static_cast<__mmask16>(half == 0 ? mask_ : mask_ >> kVectorColumns);
  }
  int64_t IndexOf(int64_t row, int half) const { return row + n0_ + half * kVectorColumns; }

  // By halves y is of 16 bits when it meets the residual.
  static __m512i FirstClamp(int32_t limit) {
    if constexpr (residual != Residual::kHalves) return _mm512_set1_epi32(limit);
    return _mm512_set1_epi16(static_cast<int16_t>(limit < -32768 ? -32768 : limit > 32767 ? 32767 : limit));
  }

  // A row that goes nowhere takes the residual of row 0.
  TALLY_INLINE __m512i Half(const int32_t* acc, int64_t row, int half) const {
    acc += half * kVectorColumns;
    if constexpr (!kScaled) return _mm512_load_si512(acc);
    __m512i y = half == 0 ? scale0_(acc) : scale1_(acc);
    if constexpr (scale != Epilogue::Scale::kHighWord || kHasResidual || !bytes) {
      y = _mm512_min_epi32(_mm512_max_epi32(y, lo_), hi_);
    }
    if constexpr (kHasResidual)
      y = residual_(y, LoadResidual(c_, IndexOf(row < 0 ? 0 : row, half), mask(half)));
    return y;
  }

  // Both halves of a row, packed to 16 bits.
  TALLY_INLINE __m512i S16s(const int32_t* acc, int64_t row) const {
    if constexpr (residual != Residual::kHalves)
      return _mm512_packs_epi32(Half(acc, row, 0), Half(acc, row, 1));
    __m512i y = _mm512_packs_epi32(scale0_(acc), scale1_(acc + kVectorColumns));
    y = _mm512_min_epi16(_mm512_max_epi16(y, lo_), hi_);
    const __m512i r = LoadResidualI32(c_, IndexOf(row < 0 ? 0 : row, 0), mask_);
    return _mm512_packs_epi32(residual_.Halves(_mm512_unpacklo_epi16(y, r)),
                              residual_.Halves(_mm512_unpackhi_epi16(y, r)));
  }

  TALLY_INLINE void Wide(const int32_t* acc, int64_t row) const {
    if (row < 0) return;
    for (int half = 0; half < 2; ++half) {
      const __m512i y = Half(acc, row, half);
      const int64_t index = IndexOf(row, half);
      switch (c_.epilogue->storage) {
        case Storage::kI8: _mm_mask_storeu_epi8(c_.y + index, mask(half), _mm512_cvtepi32_epi8(y)); break;
        case Storage::kI16:
          _mm256_mask_storeu_epi16(c_.y + 2 * index, mask(half), _mm512_cvtepi32_epi16(y));
          break;
        default: _mm512_mask_storeu_epi32(c_.y + 4 * index, mask(half), y); break;
      }
    }
  }

  TALLY_INLINE void Bytes(const int32_t* acc, int64_t row0, int64_t row1) const {
    // Saturation to 16 and then to 8 bits keeps the order, and the clamp is within.
    __m512i y = _mm512_packs_epi16(S16s(acc, row0), S16s(acc + kPanel, row1));
    y = _mm512_min_epi8(_mm512_max_epi8(y, lo8_), hi8_);
    if (c_.epilogue->table != nullptr) y = VectorTable(c_.epilogue->table)(y);
    // Packs leave blocks of four columns of the two rows in the order 0 0' 1 1' .. of each lane.
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    y = _mm512_permutexvar_epi32(order, y);
    if (row0 >= 0) _mm256_mask_storeu_epi8(c_.y + IndexOf(row0, 0), mask_, _mm512_castsi512_si256(y));
    if (row1 >= 0) _mm256_mask_storeu_epi8(c_.y + IndexOf(row1, 0), mask_, _mm512_extracti64x4_epi64(y, 1));
  }

  const GemmArgs& c_;
  int64_t n0_;
  __mmask32 mask_;
  Scale scale0_, scale1_;
  VectorResidual residual_;
  __m512i lo_, hi_, lo8_, hi8_;
};

// Calls run.operator()<scale, residual, bytes>() with those of the epilogue.
template <typename Run>
inline void WithEpilogue(const Epilogue& e, Run segment) {
  using Scale = Epilogue::Scale;
  const bool bytes = e.storage == Storage::kI8;
  const auto scaled = [&]<Scale scale>() {
    if (!e.has_residual) {
      if (bytes) return segment.template operator()<scale, Residual::kNone, true>();
      return segment.template operator()<scale, Residual::kNone, false>();
    }
    if (!bytes) return segment.template operator()<scale, Residual::kAny, false>();
    if (e.residual.by_halves) return segment.template operator()<scale, Residual::kHalves, true>();
    segment.template operator()<scale, Residual::kAny, true>();
  };
  switch (e.scale) {
    case Scale::kNone: return segment.template operator()<Scale::kNone, Residual::kNone, false>();
    case Scale::kHighWord: return scaled.template operator()<Scale::kHighWord>();
    case Scale::kAnyShift: return scaled.template operator()<Scale::kAnyShift>();
  }
}

// Finishes `pairs` pairs of rows.
inline void ApplyEpilogue(const GemmArgs& c, const int32_t* acc, const int64_t* rows, int pairs,
                          int64_t panel) {
  WithEpilogue(*c.epilogue, [&]<Epilogue::Scale scale, Residual residual, bool bytes>() {
    const PanelEpilogue<scale, residual, bytes> finisher(c, panel);
    for (int pair = 0; pair < pairs; ++pair) finisher.Pair(acc + pair * 2 * kPanel, rows + pair * 2);
  });
}

}  // namespace
}  // namespace tally
