// Products with the reciprocal of a row's sum, for *_loops.cc.
#pragma once

#include "ops/cpu/simd_loops.h"

#if defined(TALLY_HAS_SIMD_LANES)

namespace tally::TALLY_ISA {
namespace {

// 32-bit lanes of e * r / 2^shift, r below 2^32 and 33 <= shift. Half a unit is a multiple of 2^32, so that
// only the high 32-bit lanes of products matter.
struct Quotients {
  Register reciprocal, half, shift;

  Quotients(uint64_t r, int64_t by)
      : reciprocal(Simd::Set64(static_cast<int64_t>(r))),
        half(Simd::Set32(int64_t{1} << (by - 33))),
        shift(Simd::Set32(by - 32)) {}

  void Scale(Register& e) const {
    const Register even = Simd::MulEvenUnsigned(e, reciprocal),
                   odd = Simd::MulEvenUnsigned(Simd::OddsDown(e), reciprocal);
    e = Simd::ShiftDownUnsigned32(Simd::Add32(Simd::High32(even, odd), half), shift);
  }
};

}  // namespace
}  // namespace tally::TALLY_ISA

#endif
