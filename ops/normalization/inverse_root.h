// 1 / sqrt(V) of a 62-bit integer as an integer, with a relative error below 2^-29.
#pragma once

#include <cstdint>

#include "base/rescale.h"

namespace tally {

// floor(sqrt(v)), 0 <= v < 2^62: bit by bit from above.
template <typename Int>
constexpr Int FloorRoot(const Int& v) {
  Int root(int64_t{0});
  for (int bit = 30; bit >= 0; --bit) {
    const Int next = Int(root + Int(int64_t{1} << bit));
    if (Int(next * next) <= v) root = next;
  }
  return root;
}

// r * 2^(half_exponent - 61) is 1 / (sqrt(V) + outside), where V * 4^half_exponent is in [2^60, 2^62).
template <typename Int>
struct InverseRoot {
  Int r;
  int half_exponent = 0;

  // 0 < v < 2^62, 0 <= outside < 2^31
  constexpr InverseRoot(const Int& v, const Int& outside) {
    Int scaled = v;
    while (scaled < Int(int64_t{1} << 60)) {
      scaled = Int(scaled * Int(int64_t{4}));
      ++half_exponent;
    }
    const Int root = FloorRoot<Int>(scaled);  // in [2^30, 2^31)
    r = Int(Int(int64_t{1} << 61) / Int(root + outside * Int(int64_t{1} << half_exponent)));
  }
};

}  // namespace tally
