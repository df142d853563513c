// Random well-formed modules for the laws of the codec, the text form and the module id.
//
//   const Module module = RandomModule(*rc::gen::arbitrary<uint64_t>(), *rc::gen::inRange(0, 20));
//
// Well-formed, hardly ever valid: every operator row occurs with operands that need not exist, attributes
// that may be out of range, constants of every storage, and names and scales that only a decoder would let
// pass.
#pragma once

#include <cstdint>
#include <random>

#include "vm/module.h"

namespace tally {

// A stream of draws that is the same on every platform.
class RandomDraws {
 public:
  explicit RandomDraws(uint64_t seed) : engine_(seed) {}

  uint64_t Below(uint64_t n) { return engine_() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }
  int64_t Within(int64_t lo, int64_t hi) {
    const uint64_t width = static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo) + 1;
    return static_cast<int64_t>(static_cast<uint64_t>(lo) + (width == 0 ? engine_() : Below(width)));
  }

  // All magnitudes up to 64 bits are equally likely.
  int64_t AnyInt() { return static_cast<int64_t>(engine_() >> Below(64)) * (OneIn(2) ? 1 : -1); }

 private:
  std::mt19937_64 engine_;
};

// At most `size` parameters, instructions, results and constants each; size 0 gives the empty module.
Module RandomModule(uint64_t seed, int size);

}  // namespace tally
