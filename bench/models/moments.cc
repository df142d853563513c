#include "bench/models/moments.h"

#include <cmath>
#include <numbers>

namespace tally::bench {

Moment MomentOfSums(const ConvShape& shape, std::span<const int8_t> weights, int64_t channel,
                    std::span<const double> mean, std::span<const double> variance) {
  const int64_t channels = shape.in_channels_of_group(), taps = shape.kernel * shape.kernel;
  const int64_t group = channel / (shape.out_channels / shape.groups);
  auto w = weights.begin() + static_cast<std::ptrdiff_t>(channel * shape.taps());
  Moment sum;
  for (int64_t ic = 0; ic < channels; ++ic) {
    const auto c = static_cast<size_t>(group * channels + ic);
    for (int64_t tap = 0; tap < taps; ++tap, ++w) {
      sum.mean += mean[c] * *w;
      sum.variance += variance[c] * *w * *w;
    }
  }
  return sum;
}

Moment Rectified(const Moment& in) {
  const double square = in.mean * in.mean;
  const double rest = in.variance / (in.variance + 4 * square);
  const double second_moment = square + in.variance - in.variance / 2 * rest;
  const double mean = std::sqrt(square + in.variance / (2 * std::numbers::pi));
  return {mean, second_moment - mean * mean};
}

Moment GreatestOf9(const Moment& rectified) {
  // The greatest of 9 normal values is 1.49 deviations up and varies by 0.6 of one.
  const double deviation = rectified.mean * std::sqrt(2 * std::numbers::pi);
  return {1.49 * deviation, 0.36 * deviation * deviation};
}

}  // namespace tally::bench
