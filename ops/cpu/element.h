// Element types by the code of their storage, for *_loops.cc.
//
//   template <int S>
//   void Negate(const void* x, void* y, int64_t n) {
//     const auto* from = At<S>(x);
//     auto* to = At<S>(y);
//     TALLY_SIMD for (int64_t i = 0; i < n; ++i) to[i] = static_cast<Element<S>>(-from[i]);
//   }
#pragma once

#include <cstdint>

namespace tally::TALLY_ISA {
namespace {

// Constants are anywhere, and a buffer holds values of many types.
typedef int8_t LooseI8 __attribute__((may_alias));
typedef int16_t LooseI16 __attribute__((may_alias, aligned(1)));
typedef int32_t LooseI32 __attribute__((may_alias, aligned(1)));
typedef int64_t LooseI64 __attribute__((may_alias, aligned(1)));

template <int S>
struct ElementTypes;
template <>
struct ElementTypes<0> {
  typedef int8_t Value;
  typedef uint8_t Unsigned;
  typedef LooseI8 Loose;
};
template <>
struct ElementTypes<1> {
  typedef int16_t Value;
  typedef uint16_t Unsigned;
  typedef LooseI16 Loose;
};
template <>
struct ElementTypes<2> {
  typedef int32_t Value;
  typedef uint32_t Unsigned;
  typedef LooseI32 Loose;
};
template <>
struct ElementTypes<3> {
  typedef int64_t Value;
  typedef uint64_t Unsigned;
  typedef LooseI64 Loose;
};

template <int S>
using Element = typename ElementTypes<S>::Value;
template <int S>
using UnsignedElement = typename ElementTypes<S>::Unsigned;

template <int S>
[[maybe_unused]] inline const typename ElementTypes<S>::Loose* At(const void* p) {
  return static_cast<const typename ElementTypes<S>::Loose*>(p);
}
template <int S>
[[maybe_unused]] inline typename ElementTypes<S>::Loose* At(void* p) {
  return static_cast<typename ElementTypes<S>::Loose*>(p);
}

}  // namespace
}  // namespace tally::TALLY_ISA

// In front of a loop whose iterations do not depend on each other: result i may be in the place of operand i.
#ifdef __clang__
#define TALLY_SIMD _Pragma("clang loop vectorize(assume_safety)")
#else
#define TALLY_SIMD _Pragma("GCC ivdep")
#endif
