// NEON's loads, stores, constants and moves of lanes.
#pragma once

#include "ops/cpu/gemm/emulated/neon_types.h"

#define TALLY_EMULATE_ACCESS(name, V, T) \
  TALLY_MODEL V vld1##name(const T* at) { return tally::emulated::Load<V>(at); }
TALLY_EMULATE_ACCESS(_s8, int8x8_t, int8_t)
TALLY_EMULATE_ACCESS(_s16, int16x4_t, int16_t)
TALLY_EMULATE_ACCESS(q_s8, int8x16_t, int8_t)
TALLY_EMULATE_ACCESS(q_u8, uint8x16_t, uint8_t)
TALLY_EMULATE_ACCESS(q_s16, int16x8_t, int16_t)
TALLY_EMULATE_ACCESS(q_s32, int32x4_t, int32_t)
TALLY_EMULATE_ACCESS(q_s64, int64x2_t, int64_t)
TALLY_EMULATE_ACCESS(q_s8_x4, int8x16x4_t, int8_t)
#undef TALLY_EMULATE_ACCESS
// The even and the odd elements apart.
TALLY_MODEL int16x8x2_t vld2q_s16(const int16_t* at) {
  const auto pairs = tally::emulated::Load<std::array<int16_t, 16>>(at);
  int16x8x2_t v;
  for (size_t i = 0; i < pairs.size(); ++i) v.val[i % 2][i / 2] = pairs[i];
  return v;
}
TALLY_MODEL void vst1q_s16(int16_t* at, int16x8_t v) { tally::emulated::Store(at, v); }
TALLY_MODEL void vst1q_s32(int32_t* at, int32x4_t v) { tally::emulated::Store(at, v); }

TALLY_MODEL int32x2_t vdup_n_s32(int32_t v) { return int32x2_t{} + v; }
TALLY_MODEL int8x16_t vdupq_n_s8(int8_t v) { return int8x16_t{} + v; }
TALLY_MODEL uint8x16_t vdupq_n_u8(uint8_t v) { return uint8x16_t{} + v; }
TALLY_MODEL int32x4_t vdupq_n_s32(int32_t v) { return int32x4_t{} + v; }
TALLY_MODEL int64x2_t vdupq_n_s64(int64_t v) { return int64x2_t{} + v; }

#define TALLY_EMULATE_CAST(name, To, From) \
  TALLY_MODEL To vreinterpret##name(From v) { return (To)v; }
TALLY_EMULATE_CAST(_s16_s32, int16x4_t, int32x2_t)
TALLY_EMULATE_CAST(q_u8_s8, uint8x16_t, int8x16_t)
TALLY_EMULATE_CAST(q_s8_s32, int8x16_t, int32x4_t)
TALLY_EMULATE_CAST(q_s32_u8, int32x4_t, uint8x16_t)
TALLY_EMULATE_CAST(q_s32_s64, int32x4_t, int64x2_t)
TALLY_EMULATE_CAST(q_s64_s32, int64x2_t, int32x4_t)
#undef TALLY_EMULATE_CAST

TALLY_MODEL int8x8_t vget_low_s8(int8x16_t v) { return tally::emulated::Half<int8x8_t>(v, false); }
TALLY_MODEL int16x4_t vget_low_s16(int16x8_t v) { return tally::emulated::Half<int16x4_t>(v, false); }
TALLY_MODEL int32x2_t vget_low_s32(int32x4_t v) { return tally::emulated::Half<int32x2_t>(v, false); }
TALLY_MODEL int32x2_t vget_high_s32(int32x4_t v) { return tally::emulated::Half<int32x2_t>(v, true); }
TALLY_MODEL int8x16_t vcombine_s8(int8x8_t low, int8x8_t high) {
  return tally::emulated::Halves<int8x16_t>(low, high);
}
TALLY_MODEL int32x4_t vcombine_s32(int32x2_t low, int32x2_t high) {
  return tally::emulated::Halves<int32x4_t>(low, high);
}

// Lanes of the low halves, or of the high ones, in turn.
TALLY_MODEL int32x4_t vzip1q_s32(int32x4_t a, int32x4_t b) { return int32x4_t{a[0], b[0], a[1], b[1]}; }
TALLY_MODEL int32x4_t vzip2q_s32(int32x4_t a, int32x4_t b) { return int32x4_t{a[2], b[2], a[3], b[3]}; }
TALLY_MODEL int64x2_t vzip1q_s64(int64x2_t a, int64x2_t b) { return int64x2_t{a[0], b[0]}; }
TALLY_MODEL int64x2_t vzip2q_s64(int64x2_t a, int64x2_t b) { return int64x2_t{a[1], b[1]}; }
// The odd lanes.
TALLY_MODEL int32x4_t vuzp2q_s32(int32x4_t a, int32x4_t b) { return int32x4_t{a[1], a[3], b[1], b[3]}; }

// Bytes of four vectors by their index; for one beyond them, 0 or the byte of `other`.
TALLY_MODEL int8x16_t vqtbx4q_s8(int8x16_t other, int8x16x4_t table, uint8x16_t index) {
  return tally::emulated::Fill<int8x16_t, int8_t>(
      [&](size_t i) { return index[i] < 64 ? table.val[index[i] / 16][index[i] % 16] : other[i]; });
}
TALLY_MODEL int8x16_t vqtbl4q_s8(int8x16x4_t table, uint8x16_t index) {
  return vqtbx4q_s8(vdupq_n_s8(0), table, index);
}
