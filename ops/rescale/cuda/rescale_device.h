// The rescale family on one element each, for devices.
#pragma once

#include "base/rescale.h"
#include "ops/cuda/map.h"
#include "ops/rescale/cvm_shift.h"

namespace tally::cuda {

// x, multiplier, bias, shift.
struct RescaleFn {
  static constexpr int kOperands = 4;
  RescaleParams params;
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[4]) const {
    RescaleParams own = params;
    own.multiplier = static_cast<int32_t>(x[1]);
    own.bias = x[2];
    own.shift = static_cast<int>(x[3]);
    return Rescale<int64_t>(x[0], own);
  }
};

TALLY_DEVICE int64_t Clamp(int64_t x, int64_t lo, int64_t hi) { return x < lo ? lo : x > hi ? hi : x; }

template <int kCount>
struct LincombFn {
  static constexpr int kOperands = kCount;
  int64_t multipliers[kCount], zero_points[kCount];
  int64_t bias, zero_out, lo, hi;
  int shift;
  Rounding rounding;
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[kCount]) const {
    int64_t sum = bias;
    for (int k = 0; k < kCount; ++k) sum = WrapAdd(sum, WrapMul(x[k] - zero_points[k], multipliers[k]));
    return Clamp(RoundShift<int64_t>(rounding, sum, shift, false) + zero_out, lo, hi);
  }
};

struct MulshiftFn {
  static constexpr int kOperands = 2;
  int64_t zero_a, zero_b, multiplier, zero_out, lo, hi;
  int shift;
  Rounding rounding;
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const {
    const int64_t v = (x[0] - zero_a) * (x[1] - zero_b);
    return Clamp(RoundShift<int64_t>(rounding, v * multiplier, shift, v < 0) + zero_out, lo, hi);
  }
};

struct CvmClipFn {
  static constexpr int kOperands = 1;
  int64_t precision;
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[1]) const {
    return CvmSaturate<int64_t>(x[0], precision);
  }
};

struct CvmRightShiftFn {
  static constexpr int kOperands = 1;
  int64_t precision, shift;
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[1]) const {
    return CvmRightShift<int64_t>(x[0], precision, shift);
  }
};

struct CvmLeftShiftFn {
  static constexpr int kOperands = 1;
  int64_t precision, shift;
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[1]) const {
    return CvmLeftShift<int64_t>(x[0], precision, shift);
  }
};

}  // namespace tally::cuda
