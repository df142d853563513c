// Pooling for devices: one thread for each result.
#pragma once

#include "base/division.h"
#include "ops/cuda/elements.h"

namespace tally::cuda {

// Along one axis, in the order of memory of the result.
struct PoolAxis {
  int64_t size, stride, dilation, pad_begin, pad_end;  // the window's; Window in ops/window.h
  int64_t x_dim, x_step;                               // x's; elements between neighbours
  int64_t row_major_step;                              // the same where x is row-major
  int64_t dim;                                         // the result's
};

inline constexpr int kMaxPooledRank = 8;

enum class PoolKind { kMax, kMaxPosition, kSum, kAverage };

struct PoolParams {
  int64_t count;
  int rank;
  PoolKind kind;
  PoolAxis axes[kMaxPooledRank];
  int64_t zero;  // taken from each element that is summed
  // The parameters of an average: clamp(round(sum * multiplier / (taps * 2^shift)) + zero_out, lo, hi)
  bool count_padding;
  int64_t multiplier, zero_out, lo, hi;
  int shift;
  Rounding rounding;
  Storage x, y, positions;
};

// Taps of a window whose positions are in [lo, hi).
struct TapSpan {
  int64_t first, end;
};
TALLY_DEVICE TapSpan TapsIn(const PoolAxis& a, int64_t place, int64_t lo, int64_t hi) {
  const int64_t start = place * a.stride - a.pad_begin;
  const auto before = [&](int64_t position) {
    const int64_t distance = position - start > 0 ? position - start : 0;
    const int64_t taps = (distance + a.dilation - 1) / a.dilation;
    return taps < a.size ? taps : a.size;
  };
  const int64_t first = before(lo), end = before(hi);
  return {first, end > first ? end : first};
}

// Memory: x, the result, the positions of maxima where they are asked for.
TALLY_DEVICE void Pool(const Thread& t, const Memory& m, const PoolParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  TapSpan spans[kMaxPooledRank];
  int64_t taps[kMaxPooledRank], at = 0, position = 0, divisor = 1, rest = i;
  for (int axis = p.rank - 1; axis >= 0; --axis) {
    const PoolAxis& a = p.axes[axis];
    const int64_t place = rest % a.dim;
    rest /= a.dim;
    spans[axis] = TapsIn(a, place, 0, a.x_dim);
    taps[axis] = spans[axis].first;
    const int64_t first = place * a.stride - a.pad_begin + taps[axis] * a.dilation;
    at += first * a.x_step;
    position += first * a.row_major_step;
    const TapSpan counted =
        p.count_padding ? TapsIn(a, place, -a.pad_begin, a.x_dim + a.pad_end) : spans[axis];
    divisor *= counted.end - counted.first;
  }
  int64_t sum = 0, greatest = 0, best = -1;
  bool done = false;
  for (int axis = 0; axis < p.rank; ++axis) done = done || spans[axis].first == spans[axis].end;
  while (!done) {
    const int64_t value = Load(p.x, m.at[0], at);
    sum = WrapAdd(sum, value - p.zero);
    // The least position wins among equals, whatever the order of the walk.
    if (best < 0 || value > greatest || (value == greatest && position < best))
      greatest = value, best = position;
    int axis = p.rank - 1;
    for (; axis >= 0; --axis) {
      const PoolAxis& a = p.axes[axis];
      const bool wraps = taps[axis] + 1 == spans[axis].end;
      const int64_t steps = wraps ? spans[axis].first - taps[axis] : 1;
      taps[axis] += steps;
      at += steps * a.dilation * a.x_step;
      position += steps * a.dilation * a.row_major_step;
      if (!wraps) break;
    }
    done = axis < 0;
  }
  if (p.kind == PoolKind::kSum) return Store(p.y, m.at[1], i, sum);
  if (p.kind == PoolKind::kAverage) {
    const int64_t y =
        RoundDiv<int64_t>(p.rounding, WrapMul(sum, p.multiplier), divisor << p.shift) + p.zero_out;
    return Store(p.y, m.at[1], i, y < p.lo ? p.lo : y > p.hi ? p.hi : y);
  }
  Store(p.y, m.at[1], i, greatest);
  if (p.kind == PoolKind::kMaxPosition) Store(p.positions, m.at[2], i, best);
}

}  // namespace tally::cuda
