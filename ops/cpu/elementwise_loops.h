// Loops over dense chunks of one type, element by element.
#pragma once

#include "ops/cpu/isa.h"

namespace tally {

enum class BinaryLoop : uint8_t { kAdd, kSub, kMul, kMax, kMin, kAnd, kOr, kXor, kLoops };
enum class UnaryLoop : uint8_t { kAbs, kNegative, kRelu, kLoops };

struct ElementwiseLoops {
  // By operation and code of the storage of operands and result.
  using Binary = void (*)(const void* a, const void* b, void* y, int64_t n);
  using Unary = void (*)(const void* x, void* y, int64_t n);
  Binary binary[static_cast<int>(BinaryLoop::kLoops)][4];
  Unary unary[static_cast<int>(UnaryLoop::kLoops)][4];
  void (*clip[4])(const void* x, void* y, int64_t n, int64_t lo, int64_t hi);
  // Over i64. By rounding; b in [0, 62].
  void (*shift_right[6])(const int64_t* a, const int64_t* b, int64_t* y, int64_t n);
  void (*shift_left)(const int64_t* a, const int64_t* b, int64_t* y, int64_t n);
  // floor(sqrt(x)) or the nearest integer, 0 for x < 0.
  void (*root)(const int64_t* x, int64_t* y, int64_t n, bool nearest);
};

TALLY_DECLARE_LOOPS(ElementwiseLoops)

}  // namespace tally
