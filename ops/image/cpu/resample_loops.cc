#include "ops/image/cpu/resample_loops.h"

#include "ops/cpu/element.h"

namespace tally::TALLY_ISA {
namespace {

// Adds kTaps taps of a pixel, to zeros if they are the first.
template <int S, int Y, int kTaps>
inline void AddTaps(const void* x_bytes, const int64_t* places, const int64_t* weights, void* y_bytes,
                    int64_t n, bool first) {
  using T = UnsignedElement<(Y > 2 ? 3 : 2)>;  // products of bytes and words, too: there are none in 8 bits
  auto* y = At<Y>(y_bytes);
  T w[kTaps];
  const typename ElementTypes<S>::Loose* x[kTaps];
  for (int t = 0; t < kTaps; ++t) {
    w[t] = static_cast<T>(weights[t]);
    x[t] = At<S>(x_bytes) + places[t];
  }
  const auto sum = [&](int64_t i, T before) {
    for (int t = 0; t < kTaps; ++t) before += w[t] * static_cast<T>(x[t][i]);
    return static_cast<Element<Y>>(before);
  };
  if (first) {
    TALLY_SIMD
    for (int64_t i = 0; i < n; ++i) y[i] = sum(i, 0);
  } else {
    TALLY_SIMD
    for (int64_t i = 0; i < n; ++i) y[i] = sum(i, static_cast<T>(y[i]));
  }
}

// A linear resize has two taps, a cubic one four.
template <int S, int Y>
void Pixels(const PixelArgs& args, void* y_bytes) {
  const PixelArgs a = args;
  auto* y = At<Y>(y_bytes);
  const int64_t *places = a.places, *weights = a.weights;
  for (int64_t p = 0; p < a.count; ++p, y += a.n, places += a.taps, weights += a.taps) {
    int64_t t = 0;
    for (; t + 4 <= a.taps; t += 4) AddTaps<S, Y, 4>(a.x, places + t, weights + t, y, a.n, t == 0);
    for (; t + 2 <= a.taps; t += 2) AddTaps<S, Y, 2>(a.x, places + t, weights + t, y, a.n, t == 0);
    if (t < a.taps) AddTaps<S, Y, 1>(a.x, places + t, weights + t, y, a.n, t == 0);
  }
}

template <int S, int Y>
void Copies(const PixelArgs& args, void* y_bytes) {
  const PixelArgs a = args;
  auto* y = At<Y>(y_bytes);
  for (int64_t p = 0; p < a.count; ++p, y += a.n) {
    const auto* x = At<S>(a.x) + a.places[p];
    TALLY_SIMD
    for (int64_t i = 0; i < a.n; ++i) y[i] = static_cast<Element<Y>>(x[i]);
  }
}

}  // namespace

#define TALLY_BY_RESULT(Loop, S) \
  { Loop<S, 0>, Loop<S, 1>, Loop<S, 2>, Loop<S, 3> }

const ResampleLoops kResampleLoops = {
    {TALLY_BY_RESULT(Pixels, 0), TALLY_BY_RESULT(Pixels, 1), TALLY_BY_RESULT(Pixels, 2),
     TALLY_BY_RESULT(Pixels, 3)},
    {TALLY_BY_RESULT(Copies, 0), TALLY_BY_RESULT(Copies, 1), TALLY_BY_RESULT(Copies, 2),
     TALLY_BY_RESULT(Copies, 3)},
};

}  // namespace tally::TALLY_ISA
