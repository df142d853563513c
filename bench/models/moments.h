// Estimates of what flows through a network: mean and variance of each channel, from the weights alone.
//
// They stand in for a calibration on data: gains and shifts that follow from them keep activations in their 8
// bits at any depth.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/models/linear_shape.h"

namespace tally::bench {

inline constexpr double kInputRms = 74;  // codes spread evenly over 256 values

struct Moment {
  double mean = 0, variance = 0;
};

// The moments of the sums of output channel `channel` of a convolution, weights [OC, IC / groups, K, K], as
// if all terms were independent. `mean` and `variance` are those of the input channels.
Moment MomentOfSums(const ConvShape& shape, std::span<const int8_t> weights, int64_t channel,
                    std::span<const double> mean, std::span<const double> variance);

// The moments of a normal distribution after a ReLU; a smooth guess in between the exact values for a mean of
// 0 and for one far above 0.
Moment Rectified(const Moment& in);

// The greatest of 9 such values, where all of them are what a ReLU left of a distribution around 0.
Moment GreatestOf9(const Moment& rectified);

}  // namespace tally::bench
