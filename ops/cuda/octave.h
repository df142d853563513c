// Functions of positive integers by their octave, for devices: what ops/normalization/octave.h and inverse_root.h define.
#pragma once

#include <cstdint>

#include "base/rescale.h"
#include "ops/cuda/elements.h"

namespace tally::cuda {

inline constexpr int64_t kLastOfOctave = 1024;  // of a table over positions

TALLY_DEVICE int FloorLog2(int64_t v) {
  int exponent = 0;
  for (int step = 32; step > 0; step /= 2) {
    if (v >> step == 0) continue;
    v >>= step;
    exponent += step;
  }
  return exponent;
}

// A table of kLastOfOctave + 1 entries.
struct PositionTable {
  Storage storage;
  const uint8_t* bytes;
  TALLY_DEVICE int64_t operator[](int64_t i) const { return Load(storage, bytes, i); }
};

// v = 2^exponent * (1 + position), 0 < v < 2^62.
struct OctaveOf {
  int exponent;
  int64_t index;  // of the entry at or below the position
  int64_t rest;   // of the position, in units of 2^-40

  TALLY_DEVICE explicit OctaveOf(int64_t v) : exponent(FloorLog2(v)) {
    const int64_t scaled = exponent <= 40 ? v << (40 - exponent) : v >> (exponent - 40);
    const int64_t position = scaled - (int64_t{1} << 40);
    index = position >> 30;
    rest = position - (index << 30);
  }

  // Linear between two entries, half up.
  TALLY_DEVICE int64_t Interpolate(const PositionTable& table) const {
    const int64_t below = table[index], step = table[index + 1] - below;
    return below + RoundShift<int64_t>(Rounding::kHalfUp, step * rest, 30, false);
  }
};

// floor(2^61 / (sqrt(V) + outside)), V * 4^half_exponent in [2^60, 2^62); 0 < v < 2^62, 0 <= outside < 2^31.
struct InverseRootOf {
  int64_t r;
  int half_exponent;

  TALLY_DEVICE InverseRootOf(int64_t v, int64_t outside) {
    half_exponent = (61 - FloorLog2(v)) / 2;
    const int64_t scaled = v << (2 * half_exponent);
    int64_t root = 0;
    for (int bit = 30; bit >= 0; --bit) {
      const int64_t next = root + (int64_t{1} << bit);
      if (next * next <= scaled) root = next;
    }
    r = (int64_t{1} << 61) / (root + (outside << half_exponent));
  }
};

// clamp(round(exact / 2^shift) + zero_out, lo, hi), half up
struct Placing {
  int shift;
  int64_t zero_out, lo, hi;

  TALLY_DEVICE int64_t operator()(int64_t exact) const {
    const int64_t y = RoundShift<int64_t>(Rounding::kHalfUp, exact, shift, false) + zero_out;
    return y < lo ? lo : y > hi ? hi : y;
  }
};

}  // namespace tally::cuda
