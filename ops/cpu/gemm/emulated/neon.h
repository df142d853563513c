// NEON's arithmetic, its dot products and its products of 8-bit matrices.
#pragma once

#include "ops/cpu/gemm/emulated/neon_types.h"

TALLY_MODEL int64x2_t vaddq_s64(int64x2_t a, int64x2_t b) {
  return tally::emulated::Each<uint64_t>(tally::emulated::kAdd, a, b);
}
TALLY_MODEL uint8x16_t vsubq_u8(uint8x16_t a, uint8x16_t b) {
  return tally::emulated::Each<uint8_t>(tally::emulated::kLess, a, b);
}
TALLY_MODEL int32x4_t vnegq_s32(int32x4_t v) {
  return tally::emulated::Each<uint32_t>([](uint32_t x) { return 0 - x; }, v);
}
TALLY_MODEL int32x4_t vminq_s32(int32x4_t a, int32x4_t b) {
  return tally::emulated::Each<int32_t>(tally::emulated::kMin, a, b);
}
TALLY_MODEL int32x4_t vmaxq_s32(int32x4_t a, int32x4_t b) {
  return tally::emulated::Each<int32_t>(tally::emulated::kMax, a, b);
}

namespace tally::emulated {

// The low byte of a count is signed: a negative one shifts to the right.
template <typename T>
T Shift(T v, T count) {
  const int by = static_cast<int8_t>(count);
  return by < 0 ? ShiftRight(v, -by) : ShiftLeft(v, by);
}

}  // namespace tally::emulated

TALLY_MODEL int32x4_t vshlq_s32(int32x4_t v, int32x4_t counts) {
  return tally::emulated::Each<int32_t>(tally::emulated::Shift<int32_t>, v, counts);
}
TALLY_MODEL int64x2_t vshlq_s64(int64x2_t v, int64x2_t counts) {
  return tally::emulated::Each<int64_t>(tally::emulated::Shift<int64_t>, v, counts);
}

#define TALLY_EMULATE_LONGER(name, V, To, W, From) \
  TALLY_MODEL V name(W v) { return tally::emulated::Convert<V, To, From>(tally::emulated::kSame, v); }
TALLY_EMULATE_LONGER(vmovl_s8, int16x8_t, int16_t, int8x8_t, int8_t)
TALLY_EMULATE_LONGER(vmovl_s16, int32x4_t, int32_t, int16x4_t, int16_t)
TALLY_EMULATE_LONGER(vmovl_s32, int64x2_t, int64_t, int32x2_t, int32_t)
#undef TALLY_EMULATE_LONGER
TALLY_MODEL int16x8_t vmovl_high_s8(int8x16_t v) {
  return vmovl_s8(tally::emulated::Half<int8x8_t>(v, true));
}
TALLY_MODEL int64x2_t vmovl_high_s32(int32x4_t v) {
  return vmovl_s32(tally::emulated::Half<int32x2_t>(v, true));
}

// Saturated to half of the bits; `high` has them after those that are there.
#define TALLY_EMULATE_NARROWER(bits, V, Both, To, W, From)                           \
  TALLY_MODEL V vqmovn_s##bits(W v) {                                                \
    return tally::emulated::Convert<V, To, From>(tally::emulated::kSaturate<To>, v); \
  }                                                                                  \
  TALLY_MODEL Both vqmovn_high_s##bits(V low, W v) {                                 \
    return tally::emulated::Halves<Both>(low, vqmovn_s##bits(v));                    \
  }
TALLY_EMULATE_NARROWER(16, int8x8_t, int8x16_t, int8_t, int16x8_t, int16_t)
TALLY_EMULATE_NARROWER(32, int16x4_t, int16x8_t, int16_t, int32x4_t, int32_t)
TALLY_EMULATE_NARROWER(64, int32x2_t, int32x4_t, int32_t, int64x2_t, int64_t)
#undef TALLY_EMULATE_NARROWER

// Shifted to the right and cut to half of the bits.
TALLY_MODEL int32x2_t vshrn_n_s64(int64x2_t v, int count) {
  return tally::emulated::Convert<int32x2_t, int32_t, int64_t>(
      [&](int64_t x) { return static_cast<int32_t>(x >> count); }, v);
}
TALLY_MODEL int32x4_t vshrn_high_n_s64(int32x2_t low, int64x2_t v, int count) {
  return tally::emulated::Halves<int32x4_t>(low, vshrn_n_s64(v, count));
}

TALLY_MODEL int64x2_t vmull_s32(int32x2_t a, int32x2_t b) {
  return tally::emulated::Fill<int64x2_t, int64_t>([&](size_t i) { return int64_t{a[i]} * b[i]; });
}
TALLY_MODEL int64x2_t vmull_high_s32(int32x4_t a, int32x4_t b) {
  return vmull_s32(tally::emulated::Half<int32x2_t>(a, true), tally::emulated::Half<int32x2_t>(b, true));
}
TALLY_MODEL int64x2_t vmlal_n_s32(int64x2_t sum, int32x2_t a, int32_t b) {
  return vaddq_s64(sum, vmull_s32(a, int32x2_t{b, b}));
}

TALLY_MODEL int32x4_t vmlal_s16(int32x4_t sum, int16x4_t a, int16x4_t b) {
  return tally::emulated::Fill<int32x4_t, uint32_t>(
      [&](size_t i) { return static_cast<uint32_t>(sum[i]) + tally::emulated::Product(a[i], b[i]); });
}
TALLY_MODEL int32x4_t vmlal_high_s16(int32x4_t sum, int16x8_t a, int16x8_t b) {
  return vmlal_s16(sum, tally::emulated::Half<int16x4_t>(a, true), tally::emulated::Half<int16x4_t>(b, true));
}
TALLY_MODEL int32x4_t vmlal_lane_s16(int32x4_t sum, int16x4_t a, int16x4_t b, int lane) {
  return vmlal_s16(sum, a, int16x4_t{b[lane], b[lane], b[lane], b[lane]});
}
TALLY_MODEL int32x4_t vmlal_high_lane_s16(int32x4_t sum, int16x8_t a, int16x4_t b, int lane) {
  return vmlal_lane_s16(sum, tally::emulated::Half<int16x4_t>(a, true), b, lane);
}

// Four products of bytes in each lane: those of a with the four of lane `lane` of b. The sum wraps.
TALLY_MODEL int32x4_t vdotq_laneq_s32(int32x4_t sum, int8x16_t a, int8x16_t b, int lane) {
  return tally::emulated::Fill<int32x4_t, uint32_t>([&](size_t i) {
    auto total = static_cast<uint32_t>(sum[i]);
    for (size_t k = 0; k < 4; ++k) total += tally::emulated::Product(a[4 * i + k], b[4 * lane + k]);
    return total;
  });
}
// Two rows of eight bytes with two columns of eight: [row][column].
TALLY_MODEL int32x4_t vmmlaq_s32(int32x4_t sum, int8x16_t rows, int8x16_t columns) {
  return tally::emulated::Fill<int32x4_t, uint32_t>([&](size_t i) {
    auto total = static_cast<uint32_t>(sum[i]);
    for (size_t k = 0; k < 8; ++k) {
      total += tally::emulated::Product(rows[i / 2 * 8 + k], columns[i % 2 * 8 + k]);
    }
    return total;
  });
}
