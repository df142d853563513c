#include "ops/image/resample_loops.h"

#include "ops/simd/element.h"

namespace tally::TALLY_ISA {
namespace {

template <int S, int T, int kTaps>
void AddRows(const void* const* rows, const int64_t* weights, void* y_bytes, int64_t n, bool first) {
  auto* y = At<T>(y_bytes);
  UnsignedElement<T> w[kTaps];
  const typename ElementTypes<S>::Loose* x[kTaps];
  for (int t = 0; t < kTaps; ++t) {
    w[t] = static_cast<UnsignedElement<T>>(weights[t]);
    x[t] = At<S>(rows[t]);
  }
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    UnsignedElement<T> sum = first ? 0 : static_cast<UnsignedElement<T>>(y[i]);
    for (int t = 0; t < kTaps; ++t) {
      sum += w[t] * static_cast<UnsignedElement<T>>(static_cast<Element<T>>(x[t][i]));
    }
    y[i] = static_cast<Element<T>>(sum);
  }
}

// Two taps at a time: a linear resize has no more.
template <int S, int T>
void Rows(const void* const* rows, const int64_t* weights, int count, void* y, int64_t n, bool first) {
  int t = 0;
  for (; t + 2 <= count; t += 2) AddRows<S, T, 2>(rows + t, weights + t, y, n, first && t == 0);
  if (t < count) AddRows<S, T, 1>(rows + t, weights + t, y, n, first && t == 0);
}

template <int S, int T>
void Line(const LineArgs& args, void* y_bytes) {
  const auto* x = At<S>(args.x);
  const auto* weights = At<T>(args.weights);
  const auto* places = At<2>(args.places);
  auto* y = At<T>(y_bytes);
  const int64_t n = args.n;
  for (int64_t t = 0; t < args.taps; ++t) {
    TALLY_SIMD
    for (int64_t i = 0; i < n; ++i) {
      const auto v = static_cast<Element<T>>(x[places[t * n + i]]);
      const auto product =
          static_cast<UnsignedElement<T>>(weights[t * n + i]) * static_cast<UnsignedElement<T>>(v);
      y[i] = static_cast<Element<T>>((t == 0 ? 0 : static_cast<UnsignedElement<T>>(y[i])) + product);
    }
  }
}

}  // namespace

const ResampleLoops kResampleLoops = {
    {{Rows<0, 2>, Rows<0, 3>}, {Rows<1, 2>, Rows<1, 3>}, {Rows<2, 2>, Rows<2, 3>}, {Rows<3, 2>, Rows<3, 3>}},
    {{Line<0, 2>, Line<0, 3>}, {Line<1, 2>, Line<1, 3>}, {Line<2, 2>, Line<2, 3>}, {Line<3, 2>, Line<3, 3>}},
};

}  // namespace tally::TALLY_ISA
