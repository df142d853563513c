// Attributes of the sampling family.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/attributes.h"
#include "ops/tensor_type.h"

namespace tally {

inline constexpr int64_t kMaxWord = (int64_t{1} << 32) - 1;  // for the generator's key and counter

struct RandomUniformAttrs {
  std::vector<int64_t> shape;  // the result's
  int64_t seed = 0;            // the model's
  int64_t layer = 0;           // distinguishes what shares a seed
  int64_t lo = 0;              // both ends occur
  int64_t hi = 0;

  static constexpr auto Fields() {
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    return std::tuple(ListField("shape", &RandomUniformAttrs::shape, 1, kMaxDim, 0, kMaxRank),
                      IntField("seed", &RandomUniformAttrs::seed, 0, kMaxWord),
                      IntField("layer", &RandomUniformAttrs::layer, 0, kMaxWord),
                      IntField("lo", &RandomUniformAttrs::lo, kElement.lo, kElement.hi),
                      IntField("hi", &RandomUniformAttrs::hi, kElement.lo, kElement.hi));
  }
};

struct RandomCategoricalAttrs {
  int64_t samples = 1;  // per row of weights
  int64_t seed = 0;
  int64_t layer = 0;

  static constexpr auto Fields() {
    return std::tuple(IntField("samples", &RandomCategoricalAttrs::samples, 1, kMaxDim),
                      IntField("seed", &RandomCategoricalAttrs::seed, 0, kMaxWord),
                      IntField("layer", &RandomCategoricalAttrs::layer, 0, kMaxWord));
  }
};

}  // namespace tally
