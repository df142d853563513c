#include "ops/image/sampling_loops.h"

#include "ops/simd/element.h"
#include "ops/simd/rounding.h"

namespace tally::TALLY_ISA {
namespace {

template <int S>
void Sum(const TapsArgs& args, int64_t* sums) {
  const auto* x = At<S>(args.x);
  const TapsArgs a = args;
  if (a.channel_stride == 1) {
    for (int64_t k = 0; k < a.taps; ++k) {
      const auto* row = x + a.places[k];
      const int64_t weight = a.weights[k];
      TALLY_SIMD
      for (int64_t c = 0; c < a.channels; ++c) sums[c] = WrapAdd(sums[c], WrapMul(weight, row[c]));
    }
    return;
  }
  for (int64_t c = 0; c < a.channels; ++c) {
    const auto* channel = x + c * a.channel_stride;
    int64_t sum = sums[c];
    for (int64_t k = 0; k < a.taps; ++k) sum = WrapAdd(sum, WrapMul(a.weights[k], channel[a.places[k]]));
    sums[c] = sum;
  }
}

template <int S>
void GreatestTap(const TapsArgs& args, int64_t* greatest) {
  const auto* x = At<S>(args.x);
  const TapsArgs a = args;
  for (int64_t k = 0; k < a.taps; ++k) {
    const auto* row = x + a.places[k];
    const int64_t weight = a.weights[k];
    TALLY_SIMD
    for (int64_t c = 0; c < a.channels; ++c) {
      const int64_t term = WrapMul(weight, row[c * a.channel_stride]);
      greatest[c] = term > greatest[c] ? term : greatest[c];
    }
  }
}

void Greatest(const int64_t* x, int64_t n, int64_t* greatest) {
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) greatest[i] = x[i] > greatest[i] ? x[i] : greatest[i];
}

// The floor of a negative number is the complement of that of its complement.
template <int S>
void Divide(const int64_t* sums, int64_t n, const QuotientArgs& args, void* y_bytes, int64_t stride) {
  auto* y = At<S>(y_bytes);
  const QuotientArgs a = args;
  if (a.by_shift) {
    const auto write = [&](int64_t step) {
      for (int64_t i = 0; i < n; ++i) {
        y[i * step] = static_cast<Element<S>>((sums[i] * a.scale + a.half) >> a.bits);
      }
    };
    return stride == 1 ? write(1) : write(stride);
  }
  __extension__ using Wide = unsigned __int128;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t dividend = sums[i] * a.scale + a.half, sign = dividend >> 63;
    const auto v = static_cast<uint64_t>(dividend ^ sign);
    const auto high = static_cast<uint64_t>(static_cast<Wide>(v) * a.magic >> 64);
    const uint64_t quotient = (high + ((v - high) >> 1)) >> (a.bits - 1);
    y[i * stride] = static_cast<Element<S>>(static_cast<int64_t>(quotient) ^ sign);
  }
}

}  // namespace

const SamplingLoops kSamplingLoops = {
    {Sum<0>, Sum<1>, Sum<2>, Sum<3>},
    {GreatestTap<0>, GreatestTap<1>, GreatestTap<2>, GreatestTap<3>},
    Greatest,
    {Divide<0>, Divide<1>, Divide<2>, Divide<3>},
};

}  // namespace tally::TALLY_ISA
