// Vectors of 512 bits: the members of simd_avx2.h.
#pragma once

#include <immintrin.h>

#include "ops/cpu/gemm/always_inline.h"
#include "ops/cpu/gemm/micro_kernel.h"
#include "ops/cpu/gemm/x86_tails.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

// AVX-512 F, BW, DQ and VL. Products of pairs of 16 bits are added up; bytes are widened for it.
struct Avx512 {
  using Int = __m512i;
  using Tails = X86Tails;
  using VectorMask = __mmask16;
  using PairMask = __mmask32;
  using RowMask = __mmask32;
  using ByteMask = __mmask64;
  static constexpr int kLanes = 16;
  static constexpr int kBytes = 64;
  static constexpr int kDepthwiseVectors = 4;
  static constexpr bool kUnrolls = false;
  static constexpr bool kPrefetches = true;
  static constexpr bool kHoldsScales = true;
  static constexpr bool kLooksUpInline = false;

  static TALLY_INLINE Int Zero() { return _mm512_setzero_si512(); }
  static TALLY_INLINE Int Set8(int8_t v) { return _mm512_set1_epi8(static_cast<char>(v)); }
  static TALLY_INLINE Int Set16(int16_t v) { return _mm512_set1_epi16(v); }
  static TALLY_INLINE Int Set32(int32_t v) { return _mm512_set1_epi32(v); }
  static TALLY_INLINE Int Set64(int64_t v) { return _mm512_set1_epi64(v); }
  static TALLY_INLINE Int Load(const void* aligned) { return _mm512_load_si512(aligned); }
  static TALLY_INLINE Int LoadUnaligned(const void* at) { return _mm512_loadu_si512(at); }
  static TALLY_INLINE void Store(void* aligned, Int v) { _mm512_store_si512(aligned, v); }
  static TALLY_INLINE void StoreUnaligned(void* at, Int v) { _mm512_storeu_si512(at, v); }

  static TALLY_INLINE void MakeOpaque([[maybe_unused]] Int& v) {
#if defined(__AVX512F__) && !defined(TALLY_EMULATED_ISA)
    asm("" : "+v"(v));
#endif
  }

  static TALLY_INLINE Int Or(Int a, Int b) { return _mm512_or_si512(a, b); }
  static TALLY_INLINE Int Xor(Int a, Int b) { return _mm512_xor_si512(a, b); }
  static TALLY_INLINE Int Add16(Int a, Int b) { return _mm512_add_epi16(a, b); }
  static TALLY_INLINE Int Sub16(Int a, Int b) { return _mm512_sub_epi16(a, b); }
  static TALLY_INLINE Int Add32(Int a, Int b) { return _mm512_add_epi32(a, b); }
  static TALLY_INLINE Int Sub32(Int a, Int b) { return _mm512_sub_epi32(a, b); }
  static TALLY_INLINE Int Add64(Int a, Int b) { return _mm512_add_epi64(a, b); }
  static TALLY_INLINE Int Clamp8(Int v, Int lo, Int hi) {
    return _mm512_min_epi8(_mm512_max_epi8(v, lo), hi);
  }
  static TALLY_INLINE Int Clamp16(Int v, Int lo, Int hi) {
    return _mm512_min_epi16(_mm512_max_epi16(v, lo), hi);
  }
  static TALLY_INLINE Int Clamp32(Int v, Int lo, Int hi) {
    return _mm512_min_epi32(_mm512_max_epi32(v, lo), hi);
  }
  static TALLY_INLINE Int ShiftLeft32(Int v, int count) { return _mm512_slli_epi32(v, count); }
  static TALLY_INLINE Int ShiftRightSigned32(Int v, int count) { return _mm512_srai_epi32(v, count); }
  static TALLY_INLINE Int ShiftRightSigned32(Int v, Int counts) { return _mm512_srav_epi32(v, counts); }
  static TALLY_INLINE Int Packs32(Int a, Int b) { return _mm512_packs_epi32(a, b); }
  static TALLY_INLINE Int Packs16(Int a, Int b) { return _mm512_packs_epi16(a, b); }
  static TALLY_INLINE Int UnpackLow8(Int a, Int b) { return _mm512_unpacklo_epi8(a, b); }
  static TALLY_INLINE Int UnpackHigh8(Int a, Int b) { return _mm512_unpackhi_epi8(a, b); }
  static TALLY_INLINE Int UnpackLow16(Int a, Int b) { return _mm512_unpacklo_epi16(a, b); }
  static TALLY_INLINE Int UnpackHigh16(Int a, Int b) { return _mm512_unpackhi_epi16(a, b); }
  // Sums of what UnpackLow16 and UnpackHigh16 gave, back in order: the first half, and the last.
  static TALLY_INLINE Int FirstOfUnpacked(Int low, Int high) {
    return _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high);
  }
  static TALLY_INLINE Int LastOfUnpacked(Int low, Int high) {
    return _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), high);
  }

  static TALLY_INLINE Int MultiplyEven(Int a, Int b) { return _mm512_mul_epi32(a, b); }
  static TALLY_INLINE Int OddToEven(Int v) { return _mm512_srli_epi64(v, 32); }
  static TALLY_INLINE Int HighWords(Int even, Int odd) {
    return _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
  }
  static TALLY_INLINE Int ShiftRightToS32(Int v, Int counts) {
    return _mm512_cvtepu32_epi64(_mm512_cvtsepi64_epi32(_mm512_srav_epi64(v, counts)));
  }
  static TALLY_INLINE Int EvenLanes(Int v) { return _mm512_and_si512(v, Set64(0xffffffff)); }
  static TALLY_INLINE Int EvenToOdd(Int v) { return _mm512_slli_epi64(v, 32); }
  static TALLY_INLINE Int Pairs(Int y, Int r) {
    return _mm512_mask_blend_epi16(0xaaaaaaaa, y, _mm512_slli_epi32(r, 16));
  }
  static TALLY_INLINE Int UndoPacks(Int v) {
    return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
                                    v);
  }

  static TALLY_INLINE Int AddPairs(Int sum, Int a, Int b) { return Add32(sum, _mm512_madd_epi16(a, b)); }
  static TALLY_INLINE Int MultiplyHigh16(Int a, Int b) { return _mm512_mulhi_epu16(a, b); }

  static TALLY_INLINE Int WidenS8(const uint8_t* at) {
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
  }
  template <Element element>
  static TALLY_INLINE Int LoadWeights(const uint8_t* w) {
    if constexpr (!IsWidened(element)) return LoadUnaligned(w);
    return WidenS8(w);
  }
  template <Element element>
  static TALLY_INLINE Int Dot(Int sum, Int x, Int w) {
    static_assert(IsWidened(element) || element == Element::kS16);
    return AddPairs(sum, x, w);
  }

  struct FourBytes {
    Int even, odd;
    TALLY_INLINE explicit FourBytes(Int bytes)
        : even(_mm512_and_si512(bytes, Set16(0xff))), odd(_mm512_srli_epi16(bytes, 8)) {}
  };
  static constexpr int64_t kFourWeightBytes = 8;
  static TALLY_INLINE Int DotFour(Int sum, const FourBytes& x, const uint8_t* w) {
    return AddPairs(AddPairs(sum, x.even, Load(w)), x.odd, Load(w + kBytes));
  }

  static TALLY_INLINE RowMask RowMaskOf(int64_t columns) { return static_cast<RowMask>(Bits(columns)); }
  static TALLY_INLINE VectorMask VectorMaskOf(RowMask row, int vector) {
    return static_cast<VectorMask>(row >> (vector * kLanes));
  }
  static TALLY_INLINE PairMask PairMaskOf(RowMask row, int) { return row; }
  static TALLY_INLINE ByteMask ByteMaskOf(int64_t bytes) { return Bits(bytes); }

  static TALLY_INLINE Int LoadS8(const uint8_t* at, VectorMask mask) {
    return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(mask, at));
  }
  static TALLY_INLINE Int LoadS16(const uint8_t* at, VectorMask mask) {
    return _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(mask, at));
  }
  static TALLY_INLINE Int LoadPackedS8(const uint8_t* at, PairMask mask) {
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return _mm512_cvtepi8_epi16(_mm256_permutevar8x32_epi32(_mm256_maskz_loadu_epi8(mask, at), order));
  }
  static TALLY_INLINE Int LoadPackedS16(const uint8_t* at, PairMask mask) {
    const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    return _mm512_permutexvar_epi64(order, _mm512_maskz_loadu_epi16(mask, at));
  }

  static TALLY_INLINE void StoreS8(uint8_t* at, Int v, VectorMask mask) {
    _mm_mask_storeu_epi8(at, mask, _mm512_cvtepi32_epi8(v));
  }
  static TALLY_INLINE void StoreS16(uint8_t* at, Int v, VectorMask mask) {
    _mm256_mask_storeu_epi16(at, mask, _mm512_cvtepi32_epi16(v));
  }
  static TALLY_INLINE void StoreS32(uint8_t* at, Int v, VectorMask mask) {
    _mm512_mask_storeu_epi32(at, mask, v);
  }
  template <int r>
  static TALLY_INLINE void StoreRow(uint8_t* at, Int v, RowMask mask) {
    if constexpr (r == 0) return _mm256_mask_storeu_epi8(at, mask, _mm512_castsi512_si256(v));
    _mm256_mask_storeu_epi8(at, mask, _mm512_extracti64x4_epi64(v, 1));
  }

  template <int width>
  static TALLY_INLINE Int LoadPixels(const uint8_t* x, int64_t step, ByteMask mask) {
    if constexpr (width == 64) return _mm512_maskz_loadu_epi8(mask, x);
    if constexpr (width == 32) {
      const auto pixel = [&](int64_t p) __attribute__((always_inline)) {
        return _mm256_maskz_loadu_epi8(static_cast<__mmask32>(mask), x + p * step);
      };
      return _mm512_inserti64x4(_mm512_castsi256_si512(pixel(0)), pixel(1), 1);
    }
    const auto pixel = [&](int64_t p) __attribute__((always_inline)) {
      return _mm_maskz_loadu_epi8(static_cast<__mmask16>(mask), x + p * step);
    };
    __m512i v = _mm512_castsi128_si512(pixel(0));
    v = _mm512_inserti32x4(v, pixel(1), 1);
    v = _mm512_inserti32x4(v, pixel(2), 2);
    return _mm512_inserti32x4(v, pixel(3), 3);
  }
  template <int width, int p>
  static TALLY_INLINE void StorePixel(uint8_t* y, Int v, ByteMask mask) {
    if constexpr (width == 64) return _mm512_mask_storeu_epi8(y, mask, v);
    if constexpr (width == 32) return StoreRow<p>(y, v, static_cast<__mmask32>(mask));
    if constexpr (width == 16) _mm_mask_storeu_epi8(y, static_cast<__mmask16>(mask), Sixteen<p>(v));
  }
  template <int width, int p>
  static TALLY_INLINE void StorePixel(uint8_t* y, Int v) {
    if constexpr (width == 64) {
      StoreUnaligned(y, v);
    } else if constexpr (width == 32) {
      const __m256i half = p == 0 ? _mm512_castsi512_si256(v) : _mm512_extracti64x4_epi64(v, p);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), half);
    } else {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(y), Sixteen<p>(v));
    }
  }

  // Permutations of bytes are VBMI's: this does what AVX2 does.
  static TALLY_INLINE Int LookUp(const int8_t* table, Int y) {
    Int index = Xor(y, Set8(-128)), found = Zero();
    for (int i = 0; i < 256; i += 16) {
      const __m512i entries =
          _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table + i)));
      found = Or(found, _mm512_shuffle_epi8(entries, _mm512_adds_epu8(index, Set8(0x70))));
      index = _mm512_sub_epi8(index, Set8(16));
    }
    return found;
  }

 private:
  template <int i>
  static TALLY_INLINE __m128i Sixteen(Int v) {
    return i == 0 ? _mm512_castsi512_si128(v) : _mm512_extracti32x4_epi32(v, i);
  }
  static TALLY_INLINE uint64_t Bits(int64_t count) {
    return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  }
};

}  // namespace
}  // namespace tally
