// Macros for the lists of cases. Each has its own, since its instructions are those of one compilation.
#pragma once

#include "ops/cpu/gemm/emulated/cases.h"

namespace tally::TALLY_CASES {
namespace {

using Operands = IntrinsicOperands;

template <typename V>
V At(const uint8_t* bytes) {
  V v;
  __builtin_memcpy(&v, bytes, sizeof v);
  return v;
}
template <typename V>
void Put(uint8_t* result, V v) {
  __builtin_memcpy(result, &v, sizeof v);
}

#define TALLY_CASE(name, flags, ...)                                                  \
  {                                                                                   \
#name, flags, []([[maybe_unused]] const Operands& o, uint8_t* r) { __VA_ARGS__; } \
  }

}  // namespace
}  // namespace tally::TALLY_CASES
