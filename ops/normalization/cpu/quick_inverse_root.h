// InverseRoot of inverse_root.h with the root by Newton's steps, where that one goes bit by bit.
#pragma once

#include <bit>
#include <cstdint>

namespace tally {

struct QuickInverseRoot {
  int64_t r;
  int half_exponent;

  QuickInverseRoot(int64_t v, int64_t outside) {
    const int width = std::bit_width(static_cast<uint64_t>(v));
    half_exponent = (62 - width) / 2;
    const int64_t scaled = v << (2 * half_exponent);
    // The parabola 0.517 + 0.527 * u - 0.040 * u^2 is off by 0.6 % at most from the root of u in [1, 4), so
    // that two steps leave less than a unit. u has 20 bits after the point, the root 30.
    const int64_t u = scaled >> 40, slope = 552811 - ((41674 * u) >> 20);
    int64_t root = (int64_t{542089} << 10) + ((u * slope) >> 10);
    for (int i = 0; i < 2; ++i) root = (root + scaled / root) >> 1;
    // A step never ends below, and the second is above by less than 1. No branch depends on the values of a
    // row.
    root -= root * root > scaled ? 1 : 0;
    r = (int64_t{1} << 61) / (root + (outside << half_exponent));
  }
};

}  // namespace tally
