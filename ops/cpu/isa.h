// Instruction sets for which loops are compiled, and how the rest of the program reaches them.
//
//   struct ReluLoops { void (*relu)(const int8_t* x, int8_t* y, int64_t n); };
//   TALLY_DECLARE_LOOPS(ReluLoops)   // portable::kReluLoops, avx2::kReluLoops, avx512::kReluLoops
//   GetReluLoops<Isa::kAvx2>().relu(x, y, n);
//
// A file *_loops.cc is compiled once for each of them (tally_loops in tools/isa.bzl) and defines the table in
// namespace TALLY_ISA. All else in it is in an unnamed namespace and it calls nothing that is inline
// elsewhere: a function that two such units shared would be kept once by the linker, perhaps in the version
// for AVX-512.
#pragma once

#include <cstdint>

namespace tally {

enum class Isa : uint8_t { kPortable, kAvx2, kAvx512, kSimd128 };

}  // namespace tally

#if defined(__x86_64__)
#define TALLY_DECLARE_LOOPS(Loops)                              \
  namespace portable {                                          \
  extern const Loops k##Loops;                                  \
  }                                                             \
  namespace avx2 {                                              \
  extern const Loops k##Loops;                                  \
  }                                                             \
  namespace avx512 {                                            \
  extern const Loops k##Loops;                                  \
  }                                                             \
  template <Isa isa>                                            \
  const Loops& Get##Loops() {                                   \
    if constexpr (isa == Isa::kAvx512) return avx512::k##Loops; \
    if constexpr (isa == Isa::kAvx2) return avx2::k##Loops;     \
    return portable::k##Loops;                                  \
  }
#elif defined(__wasm__)
#define TALLY_DECLARE_LOOPS(Loops)                                \
  namespace portable {                                            \
  extern const Loops k##Loops;                                    \
  }                                                               \
  namespace simd128 {                                             \
  extern const Loops k##Loops;                                    \
  }                                                               \
  template <Isa isa>                                              \
  const Loops& Get##Loops() {                                     \
    if constexpr (isa == Isa::kSimd128) return simd128::k##Loops; \
    return portable::k##Loops;                                    \
  }
#else
#define TALLY_DECLARE_LOOPS(Loops) \
  namespace portable {             \
  extern const Loops k##Loops;     \
  }                                \
  template <Isa>                   \
  const Loops& Get##Loops() {      \
    return portable::k##Loops;     \
  }
#endif
