// The elementwise operators on one element each, for devices. Values are proven to fit.
#pragma once

#include "base/division.h"
#include "base/rescale.h"
#include "ops/cuda/map.h"

namespace tally::cuda {

struct Unary {
  static constexpr int kOperands = 1;
};
struct Binary {
  static constexpr int kOperands = 2;
};

// clang-format off
struct AddFn : Binary { TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const { return x[0] + x[1]; } };
struct SubFn : Binary { TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const { return x[0] - x[1]; } };
struct MulFn : Binary { TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const { return x[0] * x[1]; } };
struct MaxFn : Binary { TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const { return x[0] < x[1] ? x[1] : x[0]; } };
struct MinFn : Binary { TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const { return x[1] < x[0] ? x[1] : x[0]; } };
struct AndFn : Binary { TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const { return x[0] & x[1]; } };
struct OrFn  : Binary { TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const { return x[0] | x[1]; } };
struct XorFn : Binary { TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const { return x[0] ^ x[1]; } };

struct AbsFn      : Unary { TALLY_DEVICE int64_t operator()(const int64_t (&x)[1]) const { return x[0] < 0 ? -x[0] : x[0]; } };
struct NegativeFn : Unary { TALLY_DEVICE int64_t operator()(const int64_t (&x)[1]) const { return -x[0]; } };
struct ReluFn     : Unary { TALLY_DEVICE int64_t operator()(const int64_t (&x)[1]) const { return x[0] < 0 ? 0 : x[0]; } };
// clang-format on

struct ClipFn : Unary {
  int64_t lo, hi;
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[1]) const {
    return x[0] < lo ? lo : x[0] > hi ? hi : x[0];
  }
};

TALLY_DEVICE int64_t BitWidth(int64_t x) {
  int64_t bits = 0;
  for (; x > 0; x >>= 1) ++bits;
  return bits;
}

struct BitsFn : Unary {
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[1]) const {
    const int64_t bits = BitWidth(x[0] < 0 ? -x[0] : x[0]);
    return bits < 1 ? 1 : bits;
  }
};

struct ClzFn : Unary {
  int64_t bits;
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[1]) const {
    return x[0] < 0 ? 0 : bits - BitWidth(x[0]);
  }
};

struct SqrtFn : Unary {
  bool nearest;
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[1]) const {
    if (x[0] < 0) return 0;
    return nearest ? NearestSqrt<int64_t>(x[0]) : FloorSqrt<int64_t>(x[0]);
  }
};

struct DivideFn : Binary {
  Rounding rounding;
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const {
    return x[1] == 0 ? 0 : RoundDiv<int64_t>(rounding, x[0], x[1]);
  }
};

struct ModuloFn : Binary {
  Rounding quotient;
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const {
    return x[1] == 0 ? 0 : x[0] - x[1] * RoundDiv<int64_t>(quotient, x[0], x[1]);
  }
};

struct PowerFn : Binary {
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const {
    int64_t y = 1;
    for (int64_t i = x[1]; i > 0; --i) y = WrapMul(y, x[0]);
    return y;
  }
};

struct ShiftLeftFn : Binary {
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const {
    return static_cast<int64_t>(static_cast<uint64_t>(x[0]) << x[1]);
  }
};

struct ShiftRightFn : Binary {
  Rounding rounding;
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const {
    return RoundShift<int64_t>(rounding, x[0], static_cast<int>(x[1]), false);
  }
};

}  // namespace tally::cuda
