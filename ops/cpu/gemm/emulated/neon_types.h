// Vectors of 64 and 128 bits. Arm's intrinsics distinguish what their lanes are.
#pragma once

#include "ops/cpu/gemm/emulated/lanes.h"

typedef int8_t int8x8_t __attribute__((vector_size(8)));
typedef int16_t int16x4_t __attribute__((vector_size(8)));
typedef int32_t int32x2_t __attribute__((vector_size(8)));

typedef int8_t int8x16_t __attribute__((vector_size(16)));
typedef uint8_t uint8x16_t __attribute__((vector_size(16)));
typedef int16_t int16x8_t __attribute__((vector_size(16)));
typedef int32_t int32x4_t __attribute__((vector_size(16)));
typedef int64_t int64x2_t __attribute__((vector_size(16)));

struct int16x8x2_t {
  int16x8_t val[2];
};
struct int8x16x4_t {
  int8x16_t val[4];
};

namespace tally::emulated {

// Lanes 0 .. or those of the high half.
template <typename V, typename W>
V Half(const W& w, bool high) {
  static_assert(2 * sizeof(V) == sizeof w);
  V v;
  std::memcpy(&v, reinterpret_cast<const uint8_t*>(&w) + (high ? sizeof v : 0), sizeof v);
  return v;
}
template <typename V, typename W>
V Halves(const W& low, const W& high) {
  static_assert(sizeof(V) == 2 * sizeof low);
  V v;
  std::memcpy(&v, &low, sizeof low);
  std::memcpy(reinterpret_cast<uint8_t*>(&v) + sizeof low, &high, sizeof high);
  return v;
}

}  // namespace tally::emulated
