// Every intrinsic that kernels use, as functions over bytes, from two compilations of one source: with the
// compiler's own header and with the models.
#pragma once

#include <cstdint>

#include "base/cpu_flags.h"

namespace tally {

// The operands of a case. `memory` holds its vectors at a, b and c, and more than those.
struct IntrinsicOperands {
  alignas(64) uint8_t memory[4096];
  uint64_t mask;
  uint64_t count;  // 0 .. 255

  const uint8_t* a() const { return memory; }
  const uint8_t* b() const { return memory + 64; }
  const uint8_t* c() const { return memory + 128; }
};

struct IntrinsicCase {
  const char* name;
  CpuFlags flags;  // as the instruction asks for
  void (*run)(const IntrinsicOperands& operands, uint8_t* result);
};

inline constexpr int kResultBytes = 1024;  // that a case may write, zeroes before

struct IntrinsicCases {
  const IntrinsicCase* cases;
  int count;
  CpuFlags needed;  // by all: the compiler may use them for any of its code
};

namespace native {
IntrinsicCases Cases();
}
namespace emulated {
IntrinsicCases Cases();
}

}  // namespace tally
