#include <arm_neon.h>

#include "ops/cpu/gemm/emulated/case_list.h"

namespace tally::TALLY_CASES {
namespace {

constexpr CpuFlags kNeon = CpuFlags().With(CpuFlag::kNeon);
constexpr CpuFlags kDotProd = CpuFlags().With(CpuFlag::kDotProd);
constexpr CpuFlags kI8mm = CpuFlags().With(CpuFlag::kI8mm);

#define TALLY_1(name, V) TALLY_CASE(name, kNeon, Put(r, name(At<V>(o.a()))))
#define TALLY_2(name, V, W) TALLY_CASE(name, kNeon, Put(r, name(At<V>(o.a()), At<W>(o.b()))))
#define TALLY_3(name, flags, V, W, X) \
  TALLY_CASE(name, flags, Put(r, name(At<V>(o.a()), At<W>(o.b()), At<X>(o.c()))))
#define TALLY_LOAD(name, T) TALLY_CASE(name, kNeon, Put(r, name(reinterpret_cast<const T*>(o.memory + 8))))
#define TALLY_STORE(name, T, V) TALLY_CASE(name, kNeon, name(reinterpret_cast<T*>(r + 8), At<V>(o.a())))
#define TALLY_LANES(name, lanes, flags, V, W, X)                                     \
  TALLY_CASE(name, flags, Put(r, name(At<V>(o.a()), At<W>(o.b()), At<X>(o.c()), 0)); \
             Put(r + 16, name(At<V>(o.a()), At<W>(o.b()), At<X>(o.c()), lanes - 1)))

constexpr IntrinsicCase kCases[] = {
    TALLY_LOAD(vld1_s8, int8_t),
    TALLY_LOAD(vld1_s16, int16_t),
    TALLY_LOAD(vld1q_s8, int8_t),
    TALLY_LOAD(vld1q_u8, uint8_t),
    TALLY_LOAD(vld1q_s16, int16_t),
    TALLY_LOAD(vld1q_s32, int32_t),
    TALLY_LOAD(vld1q_s64, int64_t),
    TALLY_LOAD(vld1q_s8_x4, int8_t),
    TALLY_LOAD(vld2q_s16, int16_t),
    TALLY_STORE(vst1q_s16, int16_t, int16x8_t),
    TALLY_STORE(vst1q_s32, int32_t, int32x4_t),
    TALLY_1(vdup_n_s32, int32_t),
    TALLY_1(vdupq_n_s8, int8_t),
    TALLY_1(vdupq_n_u8, uint8_t),
    TALLY_1(vdupq_n_s32, int32_t),
    TALLY_1(vdupq_n_s64, int64_t),
    TALLY_1(vreinterpret_s16_s32, int32x2_t),
    TALLY_1(vreinterpretq_u8_s8, int8x16_t),
    TALLY_1(vreinterpretq_s8_s32, int32x4_t),
    TALLY_1(vreinterpretq_s32_u8, uint8x16_t),
    TALLY_1(vreinterpretq_s32_s64, int64x2_t),
    TALLY_1(vreinterpretq_s64_s32, int32x4_t),
    TALLY_1(vget_low_s8, int8x16_t),
    TALLY_1(vget_low_s16, int16x8_t),
    TALLY_1(vget_low_s32, int32x4_t),
    TALLY_1(vget_high_s32, int32x4_t),
    TALLY_2(vcombine_s8, int8x8_t, int8x8_t),
    TALLY_2(vcombine_s32, int32x2_t, int32x2_t),
    TALLY_2(vzip1q_s32, int32x4_t, int32x4_t),
    TALLY_2(vzip2q_s32, int32x4_t, int32x4_t),
    TALLY_2(vzip1q_s64, int64x2_t, int64x2_t),
    TALLY_2(vzip2q_s64, int64x2_t, int64x2_t),
    TALLY_2(vuzp2q_s32, int32x4_t, int32x4_t),
    TALLY_2(vqtbl4q_s8, int8x16x4_t, uint8x16_t),
    TALLY_3(vqtbx4q_s8, kNeon, int8x16_t, int8x16x4_t, uint8x16_t),

    TALLY_2(vaddq_s64, int64x2_t, int64x2_t),
    TALLY_2(vsubq_u8, uint8x16_t, uint8x16_t),
    TALLY_1(vnegq_s32, int32x4_t),
    TALLY_2(vminq_s32, int32x4_t, int32x4_t),
    TALLY_2(vmaxq_s32, int32x4_t, int32x4_t),
    TALLY_2(vshlq_s32, int32x4_t, int32x4_t),
    TALLY_2(vshlq_s64, int64x2_t, int64x2_t),
    TALLY_1(vmovl_s8, int8x8_t),
    TALLY_1(vmovl_s16, int16x4_t),
    TALLY_1(vmovl_s32, int32x2_t),
    TALLY_1(vmovl_high_s8, int8x16_t),
    TALLY_1(vmovl_high_s32, int32x4_t),
    TALLY_1(vqmovn_s16, int16x8_t),
    TALLY_1(vqmovn_s32, int32x4_t),
    TALLY_1(vqmovn_s64, int64x2_t),
    TALLY_2(vqmovn_high_s16, int8x8_t, int16x8_t),
    TALLY_2(vqmovn_high_s32, int16x4_t, int32x4_t),
    TALLY_2(vqmovn_high_s64, int32x2_t, int64x2_t),
    {"vshrn_n_s64", kNeon,
     [](const Operands& o, uint8_t* r) { Put(r, vshrn_n_s64(At<int64x2_t>(o.a()), 16)); }},
    {"vshrn_high_n_s64", kNeon,
     [](const Operands& o, uint8_t* r) {
       Put(r, vshrn_high_n_s64(At<int32x2_t>(o.a()), At<int64x2_t>(o.b()), 16));
     }},
    TALLY_2(vmull_s32, int32x2_t, int32x2_t),
    TALLY_2(vmull_high_s32, int32x4_t, int32x4_t),
    TALLY_3(vmlal_n_s32, kNeon, int64x2_t, int32x2_t, int32_t),
    TALLY_3(vmlal_s16, kNeon, int32x4_t, int16x4_t, int16x4_t),
    TALLY_3(vmlal_high_s16, kNeon, int32x4_t, int16x8_t, int16x8_t),
    TALLY_LANES(vmlal_lane_s16, 4, kNeon, int32x4_t, int16x4_t, int16x4_t),
    TALLY_LANES(vmlal_high_lane_s16, 4, kNeon, int32x4_t, int16x8_t, int16x4_t),
    TALLY_LANES(vdotq_laneq_s32, 4, kDotProd, int32x4_t, int8x16_t, int8x16_t),
    TALLY_3(vmmlaq_s32, kI8mm, int32x4_t, int8x16_t, int8x16_t),
};

}  // namespace

IntrinsicCases Cases() { return {kCases, static_cast<int>(sizeof kCases / sizeof kCases[0]), {}}; }

}  // namespace tally::TALLY_CASES
