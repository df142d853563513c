// Products with the reciprocal of a row's sum, for *_loops.cc.
#pragma once

#include "ops/normalization/words_loops.h"

#if defined(TALLY_HAS_WORDS)

namespace tally::TALLY_ISA {
namespace {

// Dwords of e * r / 2^shift, r below 2^32 and 33 <= shift. Half a unit is a multiple of 2^32, so that only the high
// dwords of products matter.
struct Quotients {
  Register reciprocal, half, shift;

  Quotients(uint64_t r, int64_t by)
      : reciprocal(Words::Set64(static_cast<int64_t>(r))),
        half(Words::Set32(int64_t{1} << (by - 33))),
        shift(Words::Set32(by - 32)) {}

  void Scale(Register& e) const {
    const Register even = Words::MulEvenUnsigned(e, reciprocal),
                   odd = Words::MulEvenUnsigned(Words::OddsDown(e), reciprocal);
    e = Words::ShiftDownUnsigned32(Words::Add32(Words::HighDwords(even, odd), half), shift);
  }
};

}  // namespace
}  // namespace tally::TALLY_ISA

#endif
