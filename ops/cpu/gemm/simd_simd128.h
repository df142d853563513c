// Vectors of WebAssembly, of 128 bits, as epilogue_vectors.h and gemm_vectors.h use them. The other
// simd_*.h have the same members.
#pragma once

#include <wasm_simd128.h>

#include <cstring>

#include "ops/cpu/gemm/always_inline.h"
#include "ops/cpu/gemm/micro_kernel.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

// Products of pairs of 16 bits are added up; bytes are widened for it. Masks are counts of columns or of
// bytes, of which more than there are mean all.
struct Simd128 {
  using Int = v128_t;
  using VectorMask = int64_t;       // a vector's lanes
  using PairMask = int64_t;         // two vectors' lanes
  using RowMask = int64_t;          // a panel's columns
  using ByteMask = int64_t;         // a vector's bytes
  static constexpr int kLanes = 4;  // 32 bits each
  static constexpr int kBytes = 16;
  static constexpr bool kUnrolls = true;         // a K-group's two steps are a round of the loop
  static constexpr bool kPrefetches = false;     // there is no such instruction
  static constexpr bool kHoldsScales = false;    // whether registers hold the scales of a panel
  static constexpr bool kLooksUpInline = false;  // whether LookUp takes few instructions and registers

  static TALLY_INLINE Int Zero() { return wasm_i32x4_splat(0); }
  static TALLY_INLINE Int Set8(int8_t v) { return wasm_i8x16_splat(v); }
  static TALLY_INLINE Int Set16(int16_t v) { return wasm_i16x8_splat(v); }
  static TALLY_INLINE Int Set32(int32_t v) { return wasm_i32x4_splat(v); }
  static TALLY_INLINE Int Set64(int64_t v) { return wasm_i64x2_splat(v); }
  static TALLY_INLINE Int Load(const void* at) { return wasm_v128_load(at); }
  static TALLY_INLINE Int LoadUnaligned(const void* at) { return wasm_v128_load(at); }
  static TALLY_INLINE void Store(void* at, Int v) { wasm_v128_store(at, v); }
  static TALLY_INLINE void StoreUnaligned(void* at, Int v) { wasm_v128_store(at, v); }
  static TALLY_INLINE void MakeOpaque(Int&) {}

  static TALLY_INLINE Int Or(Int a, Int b) { return wasm_v128_or(a, b); }
  static TALLY_INLINE Int Xor(Int a, Int b) { return wasm_v128_xor(a, b); }
  static TALLY_INLINE Int Add32(Int a, Int b) { return wasm_i32x4_add(a, b); }
  static TALLY_INLINE Int Add64(Int a, Int b) { return wasm_i64x2_add(a, b); }
  static TALLY_INLINE Int Clamp8(Int v, Int lo, Int hi) { return wasm_i8x16_min(wasm_i8x16_max(v, lo), hi); }
  static TALLY_INLINE Int Clamp16(Int v, Int lo, Int hi) { return wasm_i16x8_min(wasm_i16x8_max(v, lo), hi); }
  static TALLY_INLINE Int Clamp32(Int v, Int lo, Int hi) { return wasm_i32x4_min(wasm_i32x4_max(v, lo), hi); }
  static TALLY_INLINE Int ShiftRightSigned32(Int v, int count) { return wasm_i32x4_shr(v, count); }
  // Instructions shift all lanes by one count.
  static TALLY_INLINE Int ShiftRightSigned32(Int v, Int counts) {
    const auto lane = [&](int32_t x, int32_t count) __attribute__((always_inline)) { return x >> count; };
    return wasm_i32x4_make(lane(wasm_i32x4_extract_lane(v, 0), wasm_i32x4_extract_lane(counts, 0)),
                           lane(wasm_i32x4_extract_lane(v, 1), wasm_i32x4_extract_lane(counts, 1)),
                           lane(wasm_i32x4_extract_lane(v, 2), wasm_i32x4_extract_lane(counts, 2)),
                           lane(wasm_i32x4_extract_lane(v, 3), wasm_i32x4_extract_lane(counts, 3)));
  }
  static TALLY_INLINE Int Packs32(Int a, Int b) { return wasm_i16x8_narrow_i32x4(a, b); }
  static TALLY_INLINE Int Packs16(Int a, Int b) { return wasm_i8x16_narrow_i16x8(a, b); }
  static TALLY_INLINE Int UnpackLow16(Int a, Int b) {
    return wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  }
  static TALLY_INLINE Int UnpackHigh16(Int a, Int b) {
    return wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  }

  // Sums of what UnpackLow16 and UnpackHigh16 gave, which are in order.
  static TALLY_INLINE Int FirstOfUnpacked(Int low, Int) { return low; }
  static TALLY_INLINE Int LastOfUnpacked(Int, Int high) { return high; }

  // Products of the even lanes, 64 bits each.
  static TALLY_INLINE Int MultiplyEven(Int a, Int b) {
    const auto even = [](Int v) __attribute__((always_inline)) {
      return wasm_i32x4_shuffle(v, v, 0, 2, 0, 2);
    };
    return wasm_i64x2_extmul_low_i32x4(even(a), even(b));
  }
  static TALLY_INLINE Int OddToEven(Int v) { return wasm_u64x2_shr(v, 32); }
  // The high words of `even` and `odd` in turn.
  static TALLY_INLINE Int HighWords(Int even, Int odd) { return wasm_i32x4_shuffle(even, odd, 1, 5, 3, 7); }
  // v >> counts of 64 bits, saturated to 32, the high words zero.
  static TALLY_INLINE Int ShiftRightToS32(Int v, Int counts) {
    const auto lane = [&](int64_t x, int64_t count) __attribute__((always_inline)) {
      const int64_t shifted = x >> count;
      const int64_t within = shifted < INT32_MIN ? INT32_MIN : shifted > INT32_MAX ? INT32_MAX : shifted;
      return within & 0xffffffff;
    };
    return wasm_i64x2_make(lane(wasm_i64x2_extract_lane(v, 0), wasm_i64x2_extract_lane(counts, 0)),
                           lane(wasm_i64x2_extract_lane(v, 1), wasm_i64x2_extract_lane(counts, 1)));
  }
  static TALLY_INLINE Int EvenLanes(Int v) { return wasm_v128_and(v, Set64(0xffffffff)); }
  static TALLY_INLINE Int EvenToOdd(Int v) { return wasm_i64x2_shl(v, 32); }
  // Lanes of y as 16 bits, and above each that of r.
  static TALLY_INLINE Int Pairs(Int y, Int r) {
    return wasm_v128_or(wasm_v128_and(y, Set32(0xffff)), wasm_i32x4_shl(r, 16));
  }
  // Packs of 128 bits leave columns in order.
  static TALLY_INLINE Int UndoPacks(Int v) { return v; }

  // sum + the products of pairs of 16 bits, modulo 2^32: the pair that would pass 2^31 wraps.
  static TALLY_INLINE Int AddPairs(Int sum, Int a, Int b) { return Add32(sum, wasm_i32x4_dot_i16x8(a, b)); }
  // The high halves of products of unsigned 16 bits, where b has none in odd places.
  static TALLY_INLINE Int MultiplyHigh16(Int a, Int b) {
    return wasm_u32x4_shr(wasm_i32x4_mul(wasm_v128_and(a, Set32(0xffff)), b), 16);
  }

  // Signed bytes as 16 bits: half a vector of them.
  static TALLY_INLINE Int WidenS8(const uint8_t* at) { return wasm_i16x8_load8x8(at); }
  template <Element element>
  static TALLY_INLINE Int LoadWeights(const uint8_t* w) {
    if constexpr (!IsWidened(element)) return Load(w);
    return WidenS8(w);
  }
  template <Element element>
  static TALLY_INLINE Int Dot(Int sum, Int x, Int w) {
    static_assert(IsWidened(element) || element == Element::kS16);
    return AddPairs(sum, x, w);
  }

  static TALLY_INLINE RowMask RowMaskOf(int64_t columns) { return columns; }
  // Those of vector `vector` of a panel, and of it and the next.
  static TALLY_INLINE VectorMask VectorMaskOf(RowMask row, int vector) { return PairMaskOf(row, vector); }
  static TALLY_INLINE PairMask PairMaskOf(RowMask row, int vector) {
    return row < vector * kLanes ? 0 : row - vector * kLanes;
  }

  static TALLY_INLINE ByteMask ByteMaskOf(int64_t bytes) { return bytes; }

  template <int width>
  static TALLY_INLINE Int LoadPixels(const uint8_t* x, int64_t, ByteMask bytes) {
    static_assert(width == kBytes);
    return LoadPart(x, bytes);
  }
  static TALLY_INLINE Int LoadS8(const uint8_t* at, VectorMask columns) {
    return wasm_i32x4_extend_low_i16x8(wasm_i16x8_extend_low_i8x16(LoadPart(at, columns < 4 ? columns : 4)));
  }
  static TALLY_INLINE Int LoadS16(const uint8_t* at, VectorMask columns) {
    return wasm_i32x4_extend_low_i16x8(LoadPart(at, columns < 4 ? 2 * columns : 8));
  }
  // As 16 bits.
  static TALLY_INLINE Int LoadPackedS8(const uint8_t* at, PairMask columns) {
    return wasm_i16x8_extend_low_i8x16(LoadPart(at, columns < 8 ? columns : 8));
  }
  static TALLY_INLINE Int LoadPackedS16(const uint8_t* at, PairMask columns) {
    return LoadPart(at, 2 * columns);
  }

  static TALLY_INLINE void StoreS8(uint8_t* at, Int v, VectorMask columns) {
    const Int pairs = Packs32(v, v);
    StorePart(at, Packs16(pairs, pairs), columns < 4 ? columns : 4);
  }
  static TALLY_INLINE void StoreS16(uint8_t* at, Int v, VectorMask columns) {
    StorePart(at, Packs32(v, v), columns < 4 ? 2 * columns : 8);
  }
  static TALLY_INLINE void StoreS32(uint8_t* at, Int v, VectorMask columns) { StorePart(at, v, 4 * columns); }
  // Bytes of v, which are part `part` of a row of the panel.
  template <int part>
  static TALLY_INLINE void StoreRow(uint8_t* at, Int v, RowMask columns) {
    if (columns > part * kBytes) StorePart(at + part * kBytes, v, columns - part * kBytes);
  }
  // Half `p` of v, of which `columns` bytes are stored, or all.
  template <int width, int p>
  static TALLY_INLINE void StorePixel(uint8_t* y, Int v, PairMask columns) {
    static_assert(width == 8);
    StorePart(y, p == 0 ? v : wasm_i64x2_shuffle(v, v, 1, 1), columns < 8 ? columns : 8);
  }

  // table[y + 128] of signed bytes. Each instruction looks up in sixteen entries of the table, and gives
  // zero for an index that is not theirs.
  static TALLY_INLINE Int LookUp(const int8_t* table, Int y) {
    Int index = Xor(y, Set8(-128)), found = Zero();
    for (int i = 0; i < 256; i += 16) {
      found = Or(found, wasm_i8x16_swizzle(wasm_v128_load(table + i), index));
      index = wasm_i8x16_sub(index, Set8(16));
    }
    return found;
  }

 private:
  static TALLY_INLINE void CopyPart(void* to, const void* from, int64_t bytes) {
    auto* t = static_cast<uint8_t*>(to);
    const auto* f = static_cast<const uint8_t*>(from);
    if ((bytes & 8) != 0) std::memcpy(t, f, 8), t += 8, f += 8;
    if ((bytes & 4) != 0) std::memcpy(t, f, 4), t += 4, f += 4;
    if ((bytes & 2) != 0) std::memcpy(t, f, 2), t += 2, f += 2;
    if ((bytes & 1) != 0) *t = *f;
  }
  static TALLY_INLINE Int LoadPart(const uint8_t* at, int64_t bytes) {
    if (bytes >= 16) return Load(at);
    alignas(16) uint8_t part[16] = {};
    CopyPart(part, at, bytes);
    return Load(part);
  }
  static TALLY_INLINE void StorePart(uint8_t* at, Int v, int64_t bytes) {
    if (bytes >= 16) return Store(at, v);
    alignas(16) uint8_t part[16];
    Store(part, v);
    CopyPart(at, part, bytes);
  }
};

}  // namespace
}  // namespace tally
