#include "ops/linear/cpu/linear_loops.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace tally::TALLY_ISA {
namespace {

#if defined(__AVX512DQ__)
constexpr int kLanes = 8;
#elif defined(__AVX2__)
constexpr int kLanes = 4;
#else
constexpr int kLanes = 2;
#endif
typedef uint64_t Lanes __attribute__((vector_size(8 * kLanes)));
typedef uint64_t LooseLanes __attribute__((vector_size(8 * kLanes), aligned(8), may_alias));

// Lanes whose values fit 32 bits, signed, have a product in one instruction.
template <bool narrow>
inline Lanes Product(Lanes a, Lanes b) {
#if defined(__AVX512DQ__)
  if (narrow) return (Lanes)_mm512_mul_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  if (narrow) return (Lanes)_mm256_mul_epi32((__m256i)a, (__m256i)b);
#endif
  return a * b;
}

// `kRows` rows by two vectors of columns, whose sums stay in registers.
template <bool narrow, int kRows>
inline void AddBlock(const int64_t* factors, int64_t factor_step, const int64_t* columns, int64_t depth,
                     int64_t* sums) {
  Lanes total[kRows][2] = {};
  for (int64_t k = 0; k < depth; ++k, columns += kBlockColumns) {
    const Lanes left = *reinterpret_cast<const LooseLanes*>(columns);
    const Lanes right = *reinterpret_cast<const LooseLanes*>(columns + kLanes);
    for (int i = 0; i < kRows; ++i) {
      const Lanes factor = Lanes{} + static_cast<uint64_t>(factors[i * factor_step + k]);
      total[i][0] += Product<narrow>(factor, left);
      total[i][1] += Product<narrow>(factor, right);
    }
  }
  for (int i = 0; i < kRows; ++i) {
    auto* to = reinterpret_cast<LooseLanes*>(sums + i * kBlockColumns);
    to[0] += total[i][0];
    to[1] += total[i][1];
  }
}

template <bool narrow>
void AddProducts(const int64_t* factors, int64_t factor_step, int64_t rows, const int64_t* columns,
                 int64_t width, int64_t depth, int64_t* sums) {
  constexpr int kRows = 4;
  for (int64_t c = 0; c < width; c += 2 * kLanes) {
    int64_t i = 0;
    for (; i + kRows <= rows; i += kRows) {
      AddBlock<narrow, kRows>(factors + i * factor_step, factor_step, columns + c, depth,
                              sums + i * kBlockColumns + c);
    }
    for (; i < rows; ++i) {
      AddBlock<narrow, 1>(factors + i * factor_step, factor_step, columns + c, depth,
                          sums + i * kBlockColumns + c);
    }
  }
}

}  // namespace

const LinearLoops kLinearLoops = {{AddProducts<false>, AddProducts<true>}};

}  // namespace tally::TALLY_ISA
