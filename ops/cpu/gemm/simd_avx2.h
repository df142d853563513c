// Vectors of 256 bits, as epilogue_vectors.h, gemm_vectors.h and depthwise_four_lines.h use them. The other
// simd_*.h have the same members.
#pragma once

#include <immintrin.h>

#include <cstring>

#include "ops/cpu/gemm/always_inline.h"
#include "ops/cpu/gemm/micro_kernel.h"
#include "ops/cpu/gemm/x86_tails.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

// Copies 0 to 32 bytes. Counts are the same for a whole layer, so that branches are predicted.
TALLY_INLINE void CopyPart(void* to, const void* from, int64_t bytes) {
  auto* t = static_cast<uint8_t*>(to);
  const auto* f = static_cast<const uint8_t*>(from);
  if (bytes >= 32) {
    std::memcpy(t, f, 32);
    return;
  }
  if ((bytes & 16) != 0) std::memcpy(t, f, 16), t += 16, f += 16;
  if ((bytes & 8) != 0) std::memcpy(t, f, 8), t += 8, f += 8;
  if ((bytes & 4) != 0) std::memcpy(t, f, 4), t += 4, f += 4;
  if ((bytes & 2) != 0) std::memcpy(t, f, 2), t += 2, f += 2;
  if ((bytes & 1) != 0) *t = *f;
}

// Products of pairs of 16 bits are added up; bytes are widened for it. (vpmaddubsw saturates: nothing here
// uses it.) Masks are counts of columns or of bytes, of which more than there are mean all.
struct Avx2 {
  using Int = __m256i;
  using Tails = X86Tails;
  using VectorMask = int64_t;       // a vector's lanes
  using PairMask = int64_t;         // two vectors' lanes
  using RowMask = int64_t;          // a panel's columns
  using ByteMask = int64_t;         // a vector's bytes
  static constexpr int kLanes = 8;  // 32 bits each
  static constexpr int kBytes = 32;
  static constexpr int kDepthwiseVectors = 1;  // whose accumulators registers hold at once
  // The two steps of a K-group in one round of the loop, whose counting takes a port that sums need.
  static constexpr bool kUnrolls = true;
  // Weights come as fast as they are used without it.
  static constexpr bool kPrefetches = false;
  static constexpr bool kHoldsScales = false;    // whether registers hold the scales of a panel
  static constexpr bool kLooksUpInline = false;  // whether LookUp takes few instructions and registers

  static TALLY_INLINE Int Zero() { return _mm256_setzero_si256(); }
  static TALLY_INLINE Int Set8(int8_t v) { return _mm256_set1_epi8(static_cast<char>(v)); }
  static TALLY_INLINE Int Set16(int16_t v) { return _mm256_set1_epi16(v); }
  static TALLY_INLINE Int Set32(int32_t v) { return _mm256_set1_epi32(v); }
  static TALLY_INLINE Int Set64(int64_t v) { return _mm256_set1_epi64x(v); }
  static TALLY_INLINE Int Load(const void* at) { return LoadUnaligned(at); }
  static TALLY_INLINE Int LoadUnaligned(const void* at) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(at));
  }
  static TALLY_INLINE void Store(void* at, Int v) { StoreUnaligned(at, v); }
  static TALLY_INLINE void StoreUnaligned(void* at, Int v) {
    _mm256_storeu_si256(static_cast<__m256i*>(at), v);
  }

  // The compiler no longer knows what v is made of: it neither reorders nor copies the sums of a loop.
  static TALLY_INLINE void MakeOpaque([[maybe_unused]] Int& v) {
#if defined(__AVX2__) && !defined(TALLY_EMULATED_ISA)
    asm("" : "+x"(v));
#endif
  }

  static TALLY_INLINE Int Or(Int a, Int b) { return _mm256_or_si256(a, b); }
  static TALLY_INLINE Int Xor(Int a, Int b) { return _mm256_xor_si256(a, b); }
  static TALLY_INLINE Int Add16(Int a, Int b) { return _mm256_add_epi16(a, b); }
  static TALLY_INLINE Int Sub16(Int a, Int b) { return _mm256_sub_epi16(a, b); }
  static TALLY_INLINE Int Add32(Int a, Int b) { return _mm256_add_epi32(a, b); }
  static TALLY_INLINE Int Sub32(Int a, Int b) { return _mm256_sub_epi32(a, b); }
  static TALLY_INLINE Int Add64(Int a, Int b) { return _mm256_add_epi64(a, b); }
  static TALLY_INLINE Int Clamp8(Int v, Int lo, Int hi) {
    return _mm256_min_epi8(_mm256_max_epi8(v, lo), hi);
  }
  static TALLY_INLINE Int Clamp16(Int v, Int lo, Int hi) {
    return _mm256_min_epi16(_mm256_max_epi16(v, lo), hi);
  }
  static TALLY_INLINE Int Clamp32(Int v, Int lo, Int hi) {
    return _mm256_min_epi32(_mm256_max_epi32(v, lo), hi);
  }
  static TALLY_INLINE Int ShiftLeft32(Int v, int count) { return _mm256_slli_epi32(v, count); }
  static TALLY_INLINE Int ShiftRightSigned32(Int v, int count) { return _mm256_srai_epi32(v, count); }
  static TALLY_INLINE Int ShiftRightSigned32(Int v, Int counts) { return _mm256_srav_epi32(v, counts); }
  static TALLY_INLINE Int Packs32(Int a, Int b) { return _mm256_packs_epi32(a, b); }
  static TALLY_INLINE Int Packs16(Int a, Int b) { return _mm256_packs_epi16(a, b); }
  static TALLY_INLINE Int UnpackLow8(Int a, Int b) { return _mm256_unpacklo_epi8(a, b); }
  static TALLY_INLINE Int UnpackHigh8(Int a, Int b) { return _mm256_unpackhi_epi8(a, b); }
  static TALLY_INLINE Int UnpackLow16(Int a, Int b) { return _mm256_unpacklo_epi16(a, b); }
  static TALLY_INLINE Int UnpackHigh16(Int a, Int b) { return _mm256_unpackhi_epi16(a, b); }
  // Sums of what UnpackLow16 and UnpackHigh16 gave, back in order: the first half, and the last.
  static TALLY_INLINE Int FirstOfUnpacked(Int low, Int high) {
    return _mm256_permute2x128_si256(low, high, 0x20);
  }
  static TALLY_INLINE Int LastOfUnpacked(Int low, Int high) {
    return _mm256_permute2x128_si256(low, high, 0x31);
  }

  // Products of the even lanes, 64 bits each.
  static TALLY_INLINE Int MultiplyEven(Int a, Int b) { return _mm256_mul_epi32(a, b); }
  static TALLY_INLINE Int OddToEven(Int v) { return _mm256_srli_epi64(v, 32); }
  // The high words of `even` and `odd` in turn.
  static TALLY_INLINE Int HighWords(Int even, Int odd) {
    return _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
  }
  // v >> counts of 64 bits, saturated to 32, the high words zero. The shift is one of v's complement where v
  // is negative, since there is only one that brings zeroes.
  static TALLY_INLINE Int ShiftRightToS32(Int v, Int counts) {
    const Int most = Set64(INT32_MAX), sign = _mm256_cmpgt_epi64(Zero(), v);
    const Int magnitude = _mm256_srlv_epi64(Xor(v, sign), counts);  // v, or -v - 1
    const Int within = _mm256_blendv_epi8(magnitude, most, _mm256_cmpgt_epi64(magnitude, most));
    return EvenLanes(Xor(within, sign));
  }
  static TALLY_INLINE Int EvenLanes(Int v) { return _mm256_and_si256(v, Set64(0xffffffff)); }
  static TALLY_INLINE Int EvenToOdd(Int v) { return _mm256_slli_epi64(v, 32); }
  // Lanes of y as 16 bits, and above each that of r.
  static TALLY_INLINE Int Pairs(Int y, Int r) {
    return _mm256_blend_epi16(y, _mm256_slli_epi32(r, 16), 0xaa);
  }
  // Two packs leave fours of columns as a matrix [128-bit lanes][4], which this transposes.
  static TALLY_INLINE Int UndoPacks(Int v) {
    return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }

  // sum + the products of pairs of 16 bits, modulo 2^32: the pair that would pass 2^31 wraps.
  static TALLY_INLINE Int AddPairs(Int sum, Int a, Int b) { return Add32(sum, _mm256_madd_epi16(a, b)); }
  // The high halves of products of unsigned 16 bits.
  static TALLY_INLINE Int MultiplyHigh16(Int a, Int b) { return _mm256_mulhi_epu16(a, b); }

  // Signed bytes as 16 bits: half a vector of them.
  static TALLY_INLINE Int WidenS8(const uint8_t* at) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
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

  // Unsigned bytes of four lines and their weights, in 16 bits: those of lines 0 and 2, and those of 1 and 3.
  struct FourBytes {
    Int even, odd;
    TALLY_INLINE explicit FourBytes(Int bytes)
        : even(_mm256_and_si256(bytes, Set16(0xff))), odd(_mm256_srli_epi16(bytes, 8)) {}
  };
  static constexpr int64_t kFourWeightBytes = 8;
  static TALLY_INLINE Int DotFour(Int sum, const FourBytes& x, const uint8_t* w) {
    return AddPairs(AddPairs(sum, x.even, Load(w)), x.odd, Load(w + kBytes));
  }

  static TALLY_INLINE RowMask RowMaskOf(int64_t columns) { return columns; }
  // Those of vector `vector` of a panel, and of it and the next.
  static TALLY_INLINE VectorMask VectorMaskOf(RowMask row, int vector) { return PairMaskOf(row, vector); }
  static TALLY_INLINE PairMask PairMaskOf(RowMask row, int vector) {
    return row < vector * kLanes ? 0 : row - vector * kLanes;
  }
  static TALLY_INLINE ByteMask ByteMaskOf(int64_t bytes) { return bytes; }

  static TALLY_INLINE Int LoadS8(const uint8_t* at, VectorMask columns) {
    return _mm256_cvtepi8_epi32(Load128(at, columns < 8 ? columns : 8));
  }
  static TALLY_INLINE Int LoadS16(const uint8_t* at, VectorMask columns) {
    return _mm256_cvtepi16_epi32(Load128(at, 2 * columns));
  }
  // As 16 bits, in the order in which a pack leaves two vectors of 32 bits: each 128-bit lane has four
  // columns from the first and then four from the second.
  static TALLY_INLINE Int LoadPackedS8(const uint8_t* at, PairMask columns) {
    return _mm256_permute4x64_epi64(_mm256_cvtepi8_epi16(Load128(at, columns)), 0xd8);
  }
  static TALLY_INLINE Int LoadPackedS16(const uint8_t* at, PairMask columns) {
    return _mm256_permute4x64_epi64(LoadPart(at, 2 * columns), 0xd8);
  }

  static TALLY_INLINE void StoreS8(uint8_t* at, Int v, VectorMask columns) {
    const Int pairs = Packs32(v, v);
    StorePart(at, UndoPacks(Packs16(pairs, pairs)), columns < 8 ? columns : 8);
  }
  static TALLY_INLINE void StoreS16(uint8_t* at, Int v, VectorMask columns) {
    StorePart(at, _mm256_permute4x64_epi64(Packs32(v, v), 0xd8), columns < 8 ? 2 * columns : 16);
  }
  static TALLY_INLINE void StoreS32(uint8_t* at, Int v, VectorMask columns) { StorePart(at, v, 4 * columns); }
  // Row `r` of the panel's bytes in v.
  template <int r>
  static TALLY_INLINE void StoreRow(uint8_t* at, Int v, RowMask columns) {
    static_assert(r == 0);
    StorePart(at, v, columns);
  }

  // Pixels of `width` bytes, of which `mask` has those to load or to store, `step` bytes apart.
  template <int width>
  static TALLY_INLINE Int LoadPixels(const uint8_t* x, int64_t step, ByteMask bytes) {
    if constexpr (width == 32) return LoadPart(x, bytes);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(Load128(x, bytes)), Load128(x + step, bytes), 1);
  }
  // Pixel p of v, at `y`: `bytes` of it, or all, which a load that follows soon can take from the store.
  template <int width, int p>
  static TALLY_INLINE void StorePixel(uint8_t* y, Int v, ByteMask bytes) {
    if (bytes >= width) return StorePixel<width, p>(y, v);
    StorePart(y, p == 0 ? v : _mm256_permute4x64_epi64(v, 0xee), bytes);
  }
  template <int width, int p>
  static TALLY_INLINE void StorePixel(uint8_t* y, Int v) {
    if constexpr (width == 32) return StoreUnaligned(y, v);
    const __m128i sixteen = p == 0 ? _mm256_castsi256_si128(v) : _mm256_extracti128_si256(v, 1);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y), sixteen);
  }

  // table[y + 128] of signed bytes. Each instruction looks up in sixteen entries of the table, and gives zero
  // for an index that is not theirs.
  static TALLY_INLINE Int LookUp(const int8_t* table, Int y) {
    Int index = Xor(y, Set8(-128)), found = Zero();
    for (int i = 0; i < 256; i += 16) {
      const __m256i entries =
          _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table + i)));
      found = Or(found, _mm256_shuffle_epi8(entries, _mm256_adds_epu8(index, Set8(0x70))));
      index = _mm256_sub_epi8(index, Set8(16));
    }
    return found;
  }

 private:
  static TALLY_INLINE __m128i Load128(const uint8_t* at, int64_t bytes) {
    if (bytes >= 16) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    alignas(16) uint8_t part[16] = {};
    CopyPart(part, at, bytes);
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(part));
  }
  static TALLY_INLINE Int LoadPart(const uint8_t* at, int64_t bytes) {
    if (bytes >= 32) return LoadUnaligned(at);
    alignas(32) uint8_t part[32] = {};
    CopyPart(part, at, bytes);
    return LoadUnaligned(part);
  }
  static TALLY_INLINE void StorePart(uint8_t* at, Int v, int64_t bytes) {
    if (bytes >= 32) return StoreUnaligned(at, v);
    alignas(32) uint8_t part[32];
    StoreUnaligned(part, v);
    CopyPart(at, part, bytes);
  }
};

}  // namespace
}  // namespace tally
