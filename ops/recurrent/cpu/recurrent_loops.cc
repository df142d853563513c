#include "ops/recurrent/cpu/recurrent_loops.h"

#include "ops/cpu/element.h"
#include "ops/cpu/rounding.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace tally::TALLY_ISA {
namespace {

constexpr int64_t kOne = int64_t{1} << 15;

inline int64_t HalfOf(int64_t shift) { return shift == 0 ? 0 : int64_t{1} << (shift - 1); }

// The products that the processor computes at once: pairs of 16 bits into sums of 32, four rows of which end
// as 64 bits.
#if defined(__AVX512BW__)
constexpr int kColumnsAtOnce = 4;
constexpr int64_t kLanes = 32;
using Vector = __m512i;

inline Vector Zero() { return _mm512_setzero_si512(); }
inline Vector LoadColumn(const int16_t* x) { return _mm512_loadu_si512(x); }
template <int S>
inline Vector LoadWeights(const void* w, int64_t i, int64_t left) {
  const auto lanes = static_cast<__mmask32>(left >= kLanes ? 0xffffffff : (uint32_t{1} << left) - 1);
  if constexpr (S == 0) return _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8(lanes, At<S>(w) + i));
  return _mm512_maskz_loadu_epi16(lanes, At<S>(w) + i);
}
inline Vector MultiplyAdd(Vector sum, Vector a, Vector b) {
  return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
}
inline __m256i Wide(Vector v) {
  const __m512i wide = _mm512_add_epi64(_mm512_cvtepi32_epi64(_mm512_castsi512_si256(v)),
                                        _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(v, 1)));
  return _mm256_add_epi64(_mm512_castsi512_si256(wide), _mm512_extracti64x4_epi64(wide, 1));
}
#elif defined(__AVX2__)
constexpr int kColumnsAtOnce = 2;
constexpr int64_t kLanes = 16;
using Vector = __m256i;

inline Vector Zero() { return _mm256_setzero_si256(); }
inline Vector LoadColumn(const int16_t* x) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)); }
template <int S>
inline Vector LoadWeights(const void* w, int64_t i, int64_t left) {
  Element<S> last[kLanes] = {};
  const Element<S>* from = At<S>(w) + i;
  if (left < kLanes) {
    __builtin_memcpy(last, from, static_cast<size_t>(left) * sizeof(Element<S>));
    from = last;
  }
  if constexpr (S == 0) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
inline Vector MultiplyAdd(Vector sum, Vector a, Vector b) {
  return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
}
inline __m256i Wide(Vector v) {
  return _mm256_add_epi64(_mm256_cvtepi32_epi64(_mm256_castsi256_si128(v)),
                          _mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, 1)));
}
#endif

#if defined(__AVX2__)
#define TALLY_HAS_PRODUCTS 1

// The sums of all lanes, of R rows: 4 or 1.
template <int R>
inline void StoreSums(const Vector (&sums)[R], int64_t* to) {
  __m256i wide[4];
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) wide[r] = r < R ? Wide(sums[r < R ? r : 0]) : _mm256_setzero_si256();
  const __m256i first = _mm256_add_epi64(_mm256_unpacklo_epi64(wide[0], wide[1]),
                                         _mm256_unpackhi_epi64(wide[0], wide[1])),
                second = _mm256_add_epi64(_mm256_unpacklo_epi64(wide[2], wide[3]),
                                          _mm256_unpackhi_epi64(wide[2], wide[3]));
  const __m256i all = _mm256_add_epi64(_mm256_permute2x128_si256(first, second, 0x20),
                                       _mm256_permute2x128_si256(first, second, 0x31));
  if (R == 4) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), all);
  } else {
    *to = _mm_cvtsi128_si64(_mm256_castsi256_si128(all));
  }
}
#elif defined(__wasm_simd128__)
#define TALLY_HAS_PRODUCTS 1

// Two vectors: of more products the lanes of one could overflow (DotArgs).
constexpr int kColumnsAtOnce = 1;
constexpr int64_t kLanes = 16;
struct Vector {
  v128_t low, high;
};

inline Vector Zero() { return {wasm_i32x4_splat(0), wasm_i32x4_splat(0)}; }
inline Vector LoadColumn(const int16_t* x) { return {wasm_v128_load(x), wasm_v128_load(x + 8)}; }
template <int S>
inline Vector LoadWeights(const void* w, int64_t i, int64_t left) {
  Element<S> last[kLanes] = {};
  const Element<S>* from = At<S>(w) + i;
  if (left < kLanes) {
    __builtin_memcpy(last, from, static_cast<size_t>(left) * sizeof(Element<S>));
    from = last;
  }
  if constexpr (S == 0) return {wasm_i16x8_load8x8(from), wasm_i16x8_load8x8(from + 8)};
  return {wasm_v128_load(from), wasm_v128_load(from + 8)};
}
inline Vector MultiplyAdd(const Vector& sum, const Vector& a, const Vector& b) {
  return {wasm_i32x4_add(sum.low, wasm_i32x4_dot_i16x8(a.low, b.low)),
          wasm_i32x4_add(sum.high, wasm_i32x4_dot_i16x8(a.high, b.high))};
}
inline v128_t Wide(v128_t v) {
  return wasm_i64x2_add(wasm_i64x2_extend_low_i32x4(v), wasm_i64x2_extend_high_i32x4(v));
}
template <int R>
inline void StoreSums(const Vector (&sums)[R], int64_t* to) {
  for (int r = 0; r < R; ++r) {
    const v128_t wide = wasm_i64x2_add(Wide(sums[r].low), Wide(sums[r].high));
    to[r] = wasm_i64x2_extract_lane(wide, 0) + wasm_i64x2_extract_lane(wide, 1);
  }
}
#endif

#if defined(TALLY_HAS_PRODUCTS)

// R rows from w on by C columns, R being 4 or 1.
template <int S, int R, int C>
void Block(const DotArgs& a, const void* w, const int16_t* x, int64_t* sums) {
  Vector acc[R][C];
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) acc[r][c] = Zero();
  }
  const int64_t n = a.n, whole = n / kLanes * kLanes;
  const auto step = [&](int64_t i, int64_t left) __attribute__((always_inline)) {
    Vector columns[C];
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) columns[c] = LoadColumn(x + c * a.x_stride + i);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const Vector row = LoadWeights<S>(w, r * n + i, left);
#pragma GCC unroll 4
      for (int c = 0; c < C; ++c) acc[r][c] = MultiplyAdd(acc[r][c], row, columns[c]);
    }
  };
  for (int64_t i = 0; i < whole; i += kLanes) step(i, kLanes);
  if (whole < n) step(whole, n - whole);
#pragma GCC unroll 4
  for (int c = 0; c < C; ++c) {
    Vector of_column[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) of_column[r] = acc[r][c];
    StoreSums(of_column, sums + c * a.sums_stride);
  }
}

template <int S, int R>
void BlocksOfRows(const DotArgs& a, int64_t row) {
  const void* w = At<S>(a.w) + row * a.n;
  int64_t c = 0;
  for (; c + kColumnsAtOnce <= a.columns; c += kColumnsAtOnce) {
    Block<S, R, kColumnsAtOnce>(a, w, a.x + c * a.x_stride, a.sums + c * a.sums_stride + row);
  }
  for (; c < a.columns; ++c) Block<S, R, 1>(a, w, a.x + c * a.x_stride, a.sums + c * a.sums_stride + row);
}

template <int S>
void Dot(const DotArgs& args) {
  const DotArgs a = args;
  int64_t row = 0;
  for (; row + 4 <= a.rows; row += 4) BlocksOfRows<S, 4>(a, row);
  for (; row < a.rows; ++row) BlocksOfRows<S, 1>(a, row);
}

#else

template <int S>
void Dot(const DotArgs& args) {
  const DotArgs a = args;
  for (int64_t row = 0; row < a.rows; ++row) {
    const auto* w = At<S>(a.w) + row * a.n;
    for (int64_t c = 0; c < a.columns; ++c) {
      const int16_t* x = a.x + c * a.x_stride;
      int64_t sum = 0;
      for (int64_t i = 0; i < a.n; ++i) sum += int32_t{w[i]} * x[i];
      a.sums[c * a.sums_stride + row] = sum;
    }
  }
}

#endif

void Scale(int64_t* y, const int64_t* m, const int64_t* b, int64_t n) {
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) y[i] = WrapAdd(WrapMul(y[i], m[i]), b[i]);
}

// Positions in a table of `n` gates from `start` on.
template <bool kSums, bool kWeights>
void Positions(const GateArgs& a, int64_t start, int64_t n, int32_t* at) {
  const int64_t *in = a.in + start, *sums = kSums ? a.sums + start : in, *m = kSums ? a.m + start : in,
                *weights = kWeights ? a.weights + start : in, *values = kWeights ? a.values + start : in;
  const int64_t half = HalfOf(a.shift), shift = a.shift, middle = a.entries / 2;
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    int64_t v = in[i];
    if (kSums) v = WrapAdd(v, WrapMul(sums[i], m[i]));
    if (kWeights) v = WrapAdd(v, WrapMul(weights[i], values[i]));
    v = WrapAdd(v, half) >> shift;
    v = v < -middle ? -middle : v;
    at[i] = static_cast<int32_t>((v > middle - 1 ? middle - 1 : v) + middle);
  }
}

template <int S>
void Gates(const GateArgs& args, int32_t* y) {
  const GateArgs a = args;
  const auto* table = At<S>(a.table);
  constexpr int64_t kChunk = 256;
  int32_t at[kChunk];
  for (int64_t start = 0; start < a.n; start += kChunk) {
    const int64_t n = a.n - start < kChunk ? a.n - start : kChunk;
    if (a.sums != nullptr) {
      a.weights != nullptr ? Positions<true, true>(a, start, n, at) : Positions<true, false>(a, start, n, at);
    } else {
      a.weights != nullptr ? Positions<false, true>(a, start, n, at)
                           : Positions<false, false>(a, start, n, at);
    }
    for (int64_t i = 0; i < n; ++i) y[start + i] = static_cast<int32_t>(table[at[i]]);
  }
}

template <bool kCoupled>
void CellOf(const int32_t* i, const int32_t* f, const int32_t* g, int64_t* c, int64_t n, int64_t bits,
            int64_t lo, int64_t hi) {
  const int64_t shift = 30 - bits, half = HalfOf(shift), align = int64_t{1} << (15 - bits);
  TALLY_SIMD
  for (int64_t j = 0; j < n; ++j) {
    const int64_t keep = kCoupled ? kOne - i[j] : f[j];
    const int64_t v = (keep * c[j] * align + int64_t{i[j]} * g[j] + half) >> shift;
    const int64_t raised = v < lo ? lo : v;
    c[j] = raised > hi ? hi : raised;
  }
}

void Cell(const int32_t* i, const int32_t* f, const int32_t* g, int64_t* c, int64_t n, int64_t bits,
          int64_t lo, int64_t hi) {
  f == nullptr ? CellOf<true>(i, i, g, c, n, bits, lo, hi) : CellOf<false>(i, f, g, c, n, bits, lo, hi);
}

void Product(const int32_t* a, const int32_t* b, int16_t* y, int64_t n, int64_t shift) {
  const int64_t half = HalfOf(shift);
  TALLY_SIMD
  for (int64_t j = 0; j < n; ++j) y[j] = static_cast<int16_t>((int64_t{a[j]} * b[j] + half) >> shift);
}

void Project(const int64_t* sums, const int64_t* m, int16_t* y, int64_t n, int64_t shift) {
  const int64_t half = HalfOf(shift);
  TALLY_SIMD
  for (int64_t j = 0; j < n; ++j) {
    const int64_t v = WrapAdd(WrapMul(sums[j], m[j]), half) >> shift;
    const int64_t raised = v < -kOne ? -kOne : v;
    y[j] = static_cast<int16_t>(raised > kOne - 1 ? kOne - 1 : raised);
  }
}

void Reset(const int32_t* r, const int16_t* h, int16_t* q, int64_t n) {
  TALLY_SIMD
  for (int64_t j = 0; j < n; ++j) q[j] = static_cast<int16_t>((int64_t{r[j]} * h[j] + kOne / 2) >> 15);
}

void Blend(const int32_t* z, const int32_t* v, int16_t* h, int64_t n) {
  TALLY_SIMD
  for (int64_t j = 0; j < n; ++j) {
    h[j] = static_cast<int16_t>((int64_t{z[j]} * h[j] + (kOne - z[j]) * v[j] + kOne / 2) >> 15);
  }
}

}  // namespace

const RecurrentLoops kRecurrentLoops = {
    {Dot<0>, Dot<1>}, Scale, {Gates<0>, Gates<1>, Gates<2>, Gates<3>}, Cell, Product, Project, Reset, Blend,
};

}  // namespace tally::TALLY_ISA
