// Random numbers for devices: each a function of its place.
#pragma once

#include "ops/cuda/primitives/prefix_sums_device.h"
#include "ops/sampling/philox.h"

namespace tally::cuda {

// RandomStream, whose iteration may be an operand.
struct DeviceStream {
  int64_t seed, layer;
  bool has_iteration;
  Storage iteration;

  TALLY_DEVICE uint64_t Bits(const uint8_t* iteration_bytes, int64_t i) const {
    return DrawBits({seed, layer, has_iteration ? Load(iteration, iteration_bytes, 0) : 0}, i);
  }
};

struct RandomUniformParams {
  int64_t count;
  DeviceStream stream;
  int64_t lo, hi;
  Storage y;
};

// Memory: the result, the iteration.
TALLY_DEVICE void RandomUniform(const Thread& t, const Memory& m, const RandomUniformParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  Store(p.y, m.at[0], i, p.lo + DrawBelow(p.stream.Bits(m.at[1], i), p.hi - p.lo + 1));
}

struct WeightTerms {
  Storage weights;
  TALLY_DEVICE int64_t operator()(const Memory& m, int64_t i) const {
    return Load(weights, m.at[kTermsAt], i);
  }
};

struct RandomCategoricalParams {
  int64_t count;
  int64_t samples, choices;  // a row's
  DeviceStream stream;
  Storage y;
};

// Memory: the sums of all weights, modulo 2^64 (those of a row fit), the result, the iteration.
TALLY_DEVICE void RandomCategorical(const Thread& t, const Memory& m, const RandomCategoricalParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t first = i / p.samples * p.choices, before = SumBefore(m.as<int64_t>(0), first);
  const auto sum_to = [&](int64_t k) { return WrapAdd(m.as<int64_t>(0)[first + k], WrapMul(before, -1)); };
  const int64_t sum = sum_to(p.choices - 1);
  int64_t lo = 0;
  if (sum > 0) {
    const int64_t drawn = DrawBelow(p.stream.Bits(m.at[2], i), sum);
    int64_t hi = p.choices - 1;  // the lowest k whose sum exceeds what is drawn is in [lo, hi]
    while (lo < hi) {
      const int64_t middle = (lo + hi) / 2;
      if (sum_to(middle) > drawn) {
        hi = middle;
      } else {
        lo = middle + 1;
      }
    }
  }
  Store(p.y, m.at[1], i, lo);
}

}  // namespace tally::cuda
