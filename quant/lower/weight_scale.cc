#include "quant/lower/weight_scale.h"

#include <algorithm>
#include <cmath>

#include "quant/grid/quantized_type.h"

namespace tally::quant {
namespace {

constexpr double kLargestCode = 127;
constexpr int kCandidates = 16, kDivisor = 40;  // for the largest scale: 40/40 .. 25/40
// Adding and subtracting it rounds doubles up to 2^51 to integers, ties to even, without a call.
constexpr double kRounds = 0x1.8p52;

double SquaredError(std::span<const float> weights, double scale) {
  const double codes_of_one = 1 / scale;
  double sum = 0;
  for (const float weight : weights) {
    const double code = std::clamp(weight * codes_of_one, -kLargestCode, kLargestCode) + kRounds - kRounds;
    const double error = weight - code * scale;
    sum += error * error;
  }
  return sum;
}

}  // namespace

double ChooseWeightScale(std::span<const float> weights, int bits) {
  float largest = 0;
  for (const float weight : weights) largest = std::max(largest, std::abs(weight));
  const double widest = ChooseSymmetric(largest, bits).scale;
  if (bits > kWeightBits) return widest;
  double best = widest, least = SquaredError(weights, widest);
  for (int candidate = 1; candidate < kCandidates; ++candidate) {
    const double scale = RoundScaleUp(widest * (kDivisor - candidate) / kDivisor);
    const double error = SquaredError(weights, scale);
    if (error >= least) continue;
    least = error;
    best = scale;
  }
  return best;
}

}  // namespace tally::quant
