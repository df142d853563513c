// Loops of the rescale family over dense chunks.
#pragma once

#include "ops/cpu/isa.h"

namespace tally {

// The last step on a rounded value r: clamp(r, lo, hi) + zero_out, so the bounds are those of the result
// minus zero_out.
struct OutputClamp {
  int64_t lo, hi, zero_out;
};

// Parameters of the elements: pointers to one of each, or to one for each element.
struct Scales {
  const int32_t* multipliers;
  const int64_t* biases;
  const int32_t* shifts;
};

struct RescaleLoops {
  // i32 to i32: r = (x * m + b) >> s; the bias holds half a unit. [per_element]
  void (*half_up[2])(const int32_t* x, int32_t* y, int64_t n, const Scales& scales,
                     const OutputClamp& output);
  // The same where every s >= 32.
  void (*half_up_high[2])(const int32_t* x, int32_t* y, int64_t n, const Scales& scales,
                          const OutputClamp& output);
  // i64 to i64: r = round((x - zero_in) * m + b). [rounding][per_element]
  void (*wide[6][2])(const int64_t* x, int64_t* y, int64_t n, int64_t zero_in, const Scales& scales,
                     const OutputClamp& output);

  // y = the sum of x_k * m_k + bias, >> shift, for `count` operands of one type.
  void (*sum32)(const void* const* x, int count, const int64_t* m, int64_t bias, int64_t shift, int32_t* y,
                int64_t n, const OutputClamp& output);
  void (*sum64)(const void* const* x, int count, const int64_t* m, int64_t bias, int64_t shift, int32_t* y,
                int64_t n, const OutputClamp& output);
  // The same, over i64 and by rounding.
  void (*sum_wide[6])(const void* const* x, int count, const int64_t* m, int64_t bias, int64_t shift,
                      int64_t* y, int64_t n, const OutputClamp& output);

  // y = (a - zero_a) * (b - zero_b)
  void (*product32)(const int32_t* a, const int32_t* b, int32_t* y, int64_t n, int64_t zero_a,
                    int64_t zero_b);
  void (*product64)(const int64_t* a, const int64_t* b, int64_t* y, int64_t n, int64_t zero_a,
                    int64_t zero_b);
};

TALLY_DECLARE_LOOPS(RescaleLoops)

}  // namespace tally
