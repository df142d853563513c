// Attributes of the lowerings of the sampling family.
#pragma once

#include "ops/sampling/attrs.h"

namespace tally {

struct RandomNormalAttrs {
  std::vector<int64_t> shape;
  int64_t seed = 0;
  int64_t layer = 0;

  static constexpr auto Fields() {
    return std::tuple(ListField("shape", &RandomNormalAttrs::shape, 1, kMaxDim, 0, kMaxRank),
                      IntField("seed", &RandomNormalAttrs::seed, 0, kMaxWord),
                      IntField("layer", &RandomNormalAttrs::layer, 0, kMaxWord));
  }
};

struct RandomBernoulliAttrs {
  std::vector<int64_t> shape;
  int64_t seed = 0;
  int64_t layer = 0;
  int64_t threshold = 0;  // the probability of 1, in units of 2^-32

  static constexpr auto Fields() {
    return std::tuple(ListField("shape", &RandomBernoulliAttrs::shape, 1, kMaxDim, 0, kMaxRank),
                      IntField("seed", &RandomBernoulliAttrs::seed, 0, kMaxWord),
                      IntField("layer", &RandomBernoulliAttrs::layer, 0, kMaxWord),
                      IntField("threshold", &RandomBernoulliAttrs::threshold, 0, kMaxWord + 1));
  }
};

}  // namespace tally
