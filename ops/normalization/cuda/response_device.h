// Response norms for devices: one thread for each result.
#pragma once

#include "ops/common/requantize.h"
#include "ops/cuda/elements.h"
#include "ops/cuda/loops.h"
#include "ops/normalization/response_power.h"

namespace tally::cuda {

inline constexpr int kMaxResponseRank = 8;

// Along one axis of x, in the order of memory.
struct ResponseAxis {
  int64_t dim, stride;
  int64_t before, after;  // how far a window reaches
};

struct ResponseParams {
  int64_t count;
  int rank;
  ResponseAxis axes[kMaxResponseRank];
  int64_t zero, alpha, bias;
  Requantization requantization;
  Storage x, mantissas, exponents, y;
};

// The sum of (x - zero_in)^2 over the window of element i.
TALLY_DEVICE int64_t SquaresAround(const Memory& m, const ResponseParams& p, int64_t i) {
  int64_t sizes[kMaxResponseRank], places[kMaxResponseRank], at = 0;
  for (int axis = p.rank - 1; axis >= 0; --axis) {
    const ResponseAxis& a = p.axes[axis];
    const int64_t place = TakeDigit(i, a.dim);
    const int64_t first = place > a.before ? place - a.before : 0;
    const int64_t last = place + a.after < a.dim ? place + a.after : a.dim - 1;
    sizes[axis] = last - first + 1;
    places[axis] = 0;
    at += first * a.stride;
  }
  int64_t squares = 0;
  for (int axis = 0; axis >= 0;) {
    const int64_t v = Load(p.x, m.at[0], at) - p.zero;
    squares = WrapAdd(squares, WrapMul(v, v));
    for (axis = p.rank - 1; axis >= 0; --axis) {
      if (++places[axis] < sizes[axis]) break;
      at -= (sizes[axis] - 1) * p.axes[axis].stride;
      places[axis] = 0;
    }
    if (axis >= 0) at += p.axes[axis].stride;
  }
  return squares;
}

// Memory: x, the mantissas, the exponents, the result.
TALLY_DEVICE void LocalResponseNorm(const Thread& t, const Memory& m, const ResponseParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const StoredList mantissas = {p.mantissas, m.at[1]}, exponents = {p.exponents, m.at[2]};
  const int64_t u = WrapAdd(p.bias, WrapMul(p.alpha, SquaresAround(m, p, i)));
  const int64_t power = ResponsePower<int64_t>(u, mantissas, exponents);
  const int64_t v = Load(p.x, m.at[0], i) - p.zero;
  Store(p.y, m.at[3], i, Requantize<int64_t>(WrapMul(v, power), p.requantization));
}

}  // namespace tally::cuda
