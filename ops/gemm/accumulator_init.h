// The accumulator init of each column, on every engine: everything that is known before a run.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "base/tensor.h"

namespace tally {

// Modulo 2^64. `biases`: the operator's own and the one fused after it, an element for each column; null
// where there is none or only a run knows it.
inline std::vector<int64_t> AccumulatorInit(int64_t columns,
                                            std::initializer_list<const TensorView*> biases) {
  std::vector<int64_t> first(columns);
  for (const TensorView* bias : biases) {
    for (int64_t n = 0; n < columns && bias != nullptr; ++n) {
      first[n] = static_cast<int64_t>(static_cast<uint64_t>(first[n]) + static_cast<uint64_t>(bias->at(n)));
    }
  }
  return first;
}

// `first` less `zero`, which every x still holds, times the sum of the column's weights.
inline int64_t WithZeroPoint(int64_t first, int64_t zero, uint64_t weights) {
  return static_cast<int64_t>(static_cast<uint64_t>(first) - static_cast<uint64_t>(zero) * weights);
}

}  // namespace tally
