// The epilogue over 16 columns in vectors of Arm's NEON.
#pragma once

#include <arm_neon.h>

#include "ops/cpu/gemm/micro_kernel.h"

// Vectors that must stay in registers through the loop of a kernel.
#define TALLY_INLINE __attribute__((always_inline)) inline
#define TALLY_UNROLL _Pragma("GCC unroll 8")

namespace tally {
namespace {  // every unit compiles its own, for its instructions

inline constexpr int kVectors = 4;  // accumulators, in 16 columns
inline constexpr int kLanes = kVectorColumns / kVectors;

// (x * multiplier + addend) >> shift of 16 columns.
template <Epilogue::Scale scale>
class GroupScale {
 public:
  TALLY_INLINE explicit GroupScale(const ScaleGroup& g) {
    TALLY_UNROLL for (int v = 0; v < kVectors; ++v) {
      multiplier_[v] = vld1q_s32(g.multiplier + kLanes * v);
      const int64x2_t even = vld1q_s64(g.addend_even + 2 * v), odd = vld1q_s64(g.addend_odd + 2 * v);
      addend_[v][0] = vzip1q_s64(even, odd);
      addend_[v][1] = vzip2q_s64(even, odd);
      shift_left_[v] = vnegq_s32(vld1q_s32(g.shift + kLanes * v));
    }
  }

  // The sums of columns 4 v .. 4 v + 3.
  TALLY_INLINE int32x4_t operator()(int v, int32x4_t sum) const {
    const int64x2_t low =
        vaddq_s64(vmull_s32(vget_low_s32(sum), vget_low_s32(multiplier_[v])), addend_[v][0]);
    const int64x2_t high = vaddq_s64(vmull_high_s32(sum, multiplier_[v]), addend_[v][1]);
    if constexpr (scale == Epilogue::Scale::kHighWord) {
      const int32x4_t words = vuzp2q_s32(vreinterpretq_s32_s64(low), vreinterpretq_s32_s64(high));
      return vshlq_s32(words, shift_left_[v]);
    }
    if constexpr (scale == Epilogue::Scale::kShort) {
      return vshlq_s32(vshrn_high_n_s64(vshrn_n_s64(low, 16), high, 16), shift_left_[v]);
    }
    // Saturation to 32 bits keeps the order, and the clamp that follows is within.
    const int64x2_t low_shifted = vshlq_s64(low, vmovl_s32(vget_low_s32(shift_left_[v])));
    return vqmovn_high_s64(vqmovn_s64(low_shifted), vshlq_s64(high, vmovl_high_s32(shift_left_[v])));
  }

 private:
  int32x4_t multiplier_[kVectors], shift_left_[kVectors];
  int64x2_t addend_[kVectors][2];
};

// table[y + 128] of `n` vectors.
TALLY_INLINE void LookUp(const int8_t* table, int8x16_t* y, int n) {
  int8x16_t found[kMaxTileRows];
  for (int quarter = 0; quarter < 4; ++quarter) {
    const int8x16x4_t entries = vld1q_s8_x4(table + 64 * quarter);
    const uint8x16_t first = vdupq_n_u8(static_cast<uint8_t>(128 + 64 * quarter));  // y + 128 - 64 * quarter
    for (int i = 0; i < n; ++i) {
      const uint8x16_t index = vsubq_u8(vreinterpretq_u8_s8(y[i]), first);
      found[i] = quarter == 0 ? vqtbl4q_s8(entries, index) : vqtbx4q_s8(found[i], entries, index);
    }
  }
  for (int i = 0; i < n; ++i) y[i] = found[i];
}

// Finishes accumulators of 16 columns, those of group `group` (of y's columns).
template <Epilogue::Scale scale>
class VectorEpilogue {
 public:
  TALLY_INLINE VectorEpilogue(const GemmArgs& c, int64_t group)
      : c_(c),
        first_(group * kVectorColumns),
        count_(c.columns - first_ < kVectorColumns ? c.columns - first_ : int64_t{kVectorColumns}),
        scale_(kScaled ? c.epilogue->groups[group] : kNoScale) {}

  // `n` rows; those that begin at -1 go nowhere.
  void Rows(const int32_t (*acc)[kVectorColumns], const int64_t* rows, int n) const {
    int8x16_t bytes[kMaxTileRows];
    for (int r = 0; r < n; ++r) {
      bytes[r] = vdupq_n_s8(0);
      if (rows[r] < 0) continue;
      int32x4_t y[kVectors];
      TALLY_UNROLL for (int v = 0; v < kVectors; ++v) y[v] = vld1q_s32(acc[r] + kLanes * v);
      if constexpr (kScaled) Requantize(y, rows[r] + first_);
      const int16x8_t s16[] = {S16s(y[0], y[1]), S16s(y[2], y[3])};
      switch (c_.epilogue->storage) {
        case Storage::kI8: bytes[r] = vqmovn_high_s16(vqmovn_s16(s16[0]), s16[1]); break;
        case Storage::kI16: Store(rows[r], s16, 2); break;
        default: Store(rows[r], y, 4); break;
      }
    }
    if (c_.epilogue->storage != Storage::kI8) return;
    if (c_.epilogue->table != nullptr) LookUp(c_.epilogue->table, bytes, n);
    for (int r = 0; r < n; ++r) {
      if (rows[r] >= 0) Store(rows[r], &bytes[r], 1);
    }
  }

 private:
  static constexpr bool kScaled = scale != Epilogue::Scale::kNone;
  static constexpr ScaleGroup kNoScale = {};

  static int16x8_t S16s(int32x4_t low, int32x4_t high) { return vqmovn_high_s32(vqmovn_s32(low), high); }
  static int32x4_t Clamp(int32x4_t y, int32_t lo, int32_t hi) {
    return vminq_s32(vmaxq_s32(y, vdupq_n_s32(lo)), vdupq_n_s32(hi));
  }

  // `index`: of the first column in y.
  TALLY_INLINE void Requantize(int32x4_t* y, int64_t index) const {
    const Epilogue& e = *c_.epilogue;
    TALLY_UNROLL for (int v = 0; v < kVectors; ++v) y[v] = Clamp(scale_(v, y[v]), e.lo, e.hi);
    if (!e.has_residual) return;
    const ResidualScale& r = e.residual;
    int16_t others[kVectorColumns] = {};
    LoadResidual(index, others);
    const int64x2_t addend = vdupq_n_s64(r.addend), shift_left = vdupq_n_s64(-r.shift);
    const auto half = [&](int32x2_t a, int32x2_t b) __attribute__((always_inline)) {
      const int64x2_t sum = vmlal_n_s32(vmlal_n_s32(addend, a, r.y_multiplier), b, r.r_multiplier);
      return vqmovn_s64(vshlq_s64(sum, shift_left));
    };
    TALLY_UNROLL for (int v = 0; v < kVectors; ++v) {
      const int32x4_t other = vmovl_s16(vld1_s16(others + kLanes * v));
      const int32x2_t low = half(vget_low_s32(y[v]), vget_low_s32(other));
      y[v] = Clamp(vcombine_s32(low, half(vget_high_s32(y[v]), vget_high_s32(other))), r.lo, r.hi);
    }
  }

  TALLY_INLINE void LoadResidual(int64_t index, int16_t* to) const {
    if (c_.epilogue->residual.storage == Storage::kI16) return Copy(c_.residual + 2 * index, to, 2);
    int8_t bytes[kVectorColumns] = {};
    Copy(c_.residual + index, bytes, 1);
    const int8x16_t v = vld1q_s8(bytes);
    vst1q_s16(to, vmovl_s8(vget_low_s8(v)));
    vst1q_s16(to + 8, vmovl_high_s8(v));
  }

  // Vectors with `size` bytes for each column of one row.
  TALLY_INLINE void Store(int64_t row, const void* vectors, int size) const {
    Copy(vectors, c_.y + (row + first_) * size, size);
  }

  // `size` bytes for each column that is there: nothing behind the last one is touched.
  TALLY_INLINE void Copy(const void* from, void* to, int size) const {
    if (count_ == kVectorColumns) {
      __builtin_memcpy(to, from, size * kVectorColumns);
    } else {
      __builtin_memcpy(to, from, size * count_);
    }
  }

  const GemmArgs& c_;
  const int64_t first_, count_;
  const GroupScale<kScaled ? scale : Epilogue::Scale::kHighWord> scale_;
};

// Calls run.operator()<scale>() with that of the epilogue.
template <typename Run>
TALLY_INLINE void WithScale(const Epilogue& e, Run segment) {
  switch (e.scale) {
    case Epilogue::Scale::kNone: return segment.template operator()<Epilogue::Scale::kNone>();
    case Epilogue::Scale::kShort: return segment.template operator()<Epilogue::Scale::kShort>();
    case Epilogue::Scale::kHighWord: return segment.template operator()<Epilogue::Scale::kHighWord>();
    case Epilogue::Scale::kAnyShift: return segment.template operator()<Epilogue::Scale::kAnyShift>();
  }
}

}  // namespace
}  // namespace tally
