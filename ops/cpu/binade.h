// The computation of ops/common/binade.h, for *_loops.cc: without branches, so that lanes go side by side.
#pragma once

#include <cstdint>

namespace tally::TALLY_ISA {
namespace {

// floor(log2(v)), v > 0: written out, because a loop inside of one keeps GCC from making lanes of the outer
// one.
[[maybe_unused]] inline int64_t FloorLog2(uint64_t v) {
  int64_t exponent = 0;
  const auto halve = [&](int bits) {
    const uint64_t high = v >> bits;
    exponent += high != 0 ? bits : 0;
    v = high != 0 ? high : v;
  };
  halve(32);
  halve(16);
  halve(8);
  halve(4);
  halve(2);
  halve(1);
  return exponent;
}

// The function of the position of 0 < v < 2^62 in its binade, linear between the entries of `mantissas`, half
// up.
[[maybe_unused]] inline int64_t InterpolateBinade(int64_t v, int64_t exponent, const int64_t* mantissas) {
  constexpr int64_t kOne = int64_t{1} << 40, kEntry = int64_t{1} << 30;
  const int64_t missing = 40 - exponent;
  const int64_t scaled = (v << (missing > 0 ? missing : 0)) >> (missing < 0 ? -missing : 0);
  const int64_t position = scaled - kOne, index = position >> 30;
  const int64_t below = mantissas[index], step = mantissas[index + 1] - below;
  return below + ((step * (position & (kEntry - 1)) + kEntry / 2) >> 30);
}

}  // namespace
}  // namespace tally::TALLY_ISA
