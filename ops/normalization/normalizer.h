// z = n * 2^20 / sqrt(V) for every n of a row, where V has 2 * guard bits below the unit of n^2.
#pragma once

#include <algorithm>

#include "base/rescale.h"
#include "ops/normalization/epsilon_mode.h"
#include "ops/normalization/inverse_root.h"

namespace tally {

template <typename Int>
class Normalizer {
 public:
  constexpr Normalizer(const Int& variance, int64_t guard, const Int& epsilon, EpsilonMode mode)
      : is_zero_(variance == Int(int64_t{0})) {
    Int v = Int(variance * Int(int64_t{1} << (2 * guard)));
    if (mode == EpsilonMode::kAdded) v = Int(v + epsilon);
    if (mode == EpsilonMode::kMaximum) v = std::max(v, epsilon);
    if (is_zero_) return;
    const InverseRoot<Int> root(v, mode == EpsilonMode::kOutside ? epsilon : Int(int64_t{0}));
    r_ = root.r;
    shift_ = 41 - static_cast<int>(guard) - root.half_exponent;  // in [1, 41]
  }

  // Without variance every n is 0.
  constexpr Int operator()(const Int& n) const {
    return is_zero_ ? n : RoundShift<Int>(Rounding::kHalfUp, Int(n * r_), shift_, false);
  }

 private:
  bool is_zero_;
  Int r_;
  int shift_ = 0;
};

}  // namespace tally
