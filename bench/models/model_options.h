// How large a model is.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tally::bench {

struct ModelOptions {
  int64_t batch = 1;
  // 1 is the model itself; channels, lengths and repetitions are divided by more, for tests.
  int64_t scale = 1;

  int64_t Scaled(int64_t size, int64_t least = 1) const { return std::max(size / scale, least); }
  int64_t image() const { return (224 / scale + 31) / 32 * 32; }
};

}  // namespace tally::bench
