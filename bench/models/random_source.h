// Random 8-bit weights and inputs, the same on every machine.
//
//   RandomSource random(7);
//   random.Weight();  // bell-shaped in [-127, 127], standard deviation kWeightDeviation
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/tensor.h"
#include "ops/tensor_type.h"

namespace tally::bench {

inline constexpr double kWeightDeviation = 26.1;

// SplitMix64.
class RandomSource {
 public:
  explicit RandomSource(uint64_t seed) : state_(seed) {}

  uint64_t Next();

  // In [lo, hi], which spans less than 2^32 values.
  int64_t Uniform(int64_t lo, int64_t hi);

  // The mean of eight bytes, centered.
  int8_t Weight();
  std::vector<int8_t> Weights(int64_t count);

 private:
  uint64_t state_;
};

// Every element anywhere in the interval of `type`.
Tensor RandomTensor(const TensorType& type, RandomSource& random);

// One of each type.
std::vector<Tensor> RandomInputs(std::span<const TensorType> params, uint64_t seed);

}  // namespace tally::bench
