// For every int64_t product within the bound that base/rescale.h asks for, and for every shift: each rounding
// is the integer that its definition names, and nothing overflows on the way.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rescale.h"
#include "base/rescale_forms.h"
#include "tests/proofs/definition.h"
#include "tests/proofs/symbolic.h"

namespace tally {
namespace {

// |p| + 2^(s-1) + 2^30 < 2^63
void AssumeProductFits(Proof& proof, const Symbolic& p, int shift) {
  const z3::expr half = shift == 0 ? proof.Number(0) : proof.PowerOfTwo(shift - 1);
  const z3::expr bound = proof.PowerOfTwo(63) - half - proof.PowerOfTwo(30);
  proof.Assume(p.exact() < bound && p.exact() > -bound);
}

class RoundingProof : public testing::TestWithParam<Rounding> {};

TEST_P(RoundingProof, IsItsDefinitionForEveryProductAndShift) {
  for (int shift = 0; shift <= kMaxRescaleShift; ++shift) {
    Proof proof;
    const Symbolic p = proof.Unknown("product", 64);
    AssumeProductFits(proof, p, shift);
    EXPECT_TRUE(proof.Holds([&] {
      const Symbolic y = RoundShift<Symbolic>(GetParam(), p, shift, false);
      return Definition{p.exact(), proof.PowerOfTwo(shift), y.exact()}.Of(GetParam());
    })) << "shift "
        << shift << ": " << proof.Counterexample();
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, RoundingProof,
                         testing::Values(Rounding::kFloor, Rounding::kHalfUp, Rounding::kHalfAway,
                                         Rounding::kHalfEven, Rounding::kTrunc),
                         [](const auto& info) { return std::string(RoundingName(info.param)); });

// TFLite's two steps: half up by 31, then half away by the rest (for products of a value and a multiplier >=
// 0, whose sign is the value's); one step of half up when the shift is at most 31.
TEST(DoubleRoundingProof, IsItsTwoStepsForEveryProductAndShift) {
  for (int shift = 0; shift <= kMaxRescaleShift; ++shift) {
    for (const bool negative : {false, true}) {
      Proof proof;
      const Symbolic p = proof.Unknown("product", 64);
      AssumeProductFits(proof, p, shift);
      proof.Assume(negative ? p.exact() <= 0 : p.exact() >= 0);
      const int first_shift = std::min(shift, 31);
      const Symbolic first = proof.Unknown("first", 64);
      // `first` is the first step, uniquely, by its definition.
      proof.Assume(Definition{p.exact(), proof.PowerOfTwo(first_shift), first.exact()}.HalfUp());
      EXPECT_TRUE(proof.Holds([&] {
        const Symbolic y = RoundShift<Symbolic>(Rounding::kDouble, p, shift, negative);
        if (shift <= 31) return y.exact() == first.exact();
        const Definition second{first.exact(), proof.PowerOfTwo(shift - 31), y.exact()};
        return negative ? second.HalfDown() : second.HalfUp();
      })) << "shift "
          << shift << (negative ? ", negative: " : ": ") << proof.Counterexample();
    }
  }
}

// Clamping and the zero point are around the rounding, whatever it is: the result is the nearest value of
// [lo, hi] to the rounded value plus zero_out.
TEST(RescaleProof, ClampsTheRoundedValuePlusTheZeroPoint) {
  for (const int shift : {0, 1, 31, 32, 62}) {
    Proof proof;
    const Symbolic x = proof.Unknown("x", 32);
    const RescaleParams params = {.zero_in = -77,
                                  .multiplier = 1073741825,
                                  .shift = shift,
                                  .rounding = Rounding::kHalfUp,
                                  .zero_out = 13,
                                  .lo = -128,
                                  .hi = 127};
    EXPECT_TRUE(proof.Holds([&] {
      const Symbolic y = Rescale<Symbolic>(x, params);
      const z3::expr p = (x.exact() + 77) * 1073741825;
      const Symbolic rounded = RoundShift<Symbolic>(Rounding::kHalfUp, Symbolic(&proof, p), shift, false);
      const z3::expr wanted = rounded.exact() + 13;
      return y.exact() ==
             z3::ite(wanted < -128, proof.Number(-128), z3::ite(wanted > 127, proof.Number(127), wanted));
    })) << "shift "
        << shift << ": " << proof.Counterexample();
  }
}

// The forms of SIMD kernels, for every shift that they are for.
TEST(SimdFormProof, TheHighWordAloneRoundsHalfUp) {
  for (int shift = 32; shift <= kMaxRescaleShift; ++shift) {
    Proof proof;
    const Symbolic p = proof.Unknown("product", 64);
    AssumeProductFits(proof, p, shift);
    EXPECT_TRUE(proof.Holds([&] {
      const z3::expr y = HighWordHalfUp<Symbolic>(p, shift).exact();
      const z3::expr fits_int32 = y >= -proof.PowerOfTwo(31) && y < proof.PowerOfTwo(31);
      return fits_int32 && Definition{p.exact(), proof.PowerOfTwo(shift), y}.HalfUp();
    })) << "shift "
        << shift << ": " << proof.Counterexample();
  }
}

TEST(SimdFormProof, ABiasAndALogicalShiftRoundHalfUp) {
  for (int shift = 1; shift <= kMaxRescaleShift - 1; ++shift) {
    Proof proof;
    const Symbolic p = proof.Unknown("product", 64);
    const z3::expr bound = proof.PowerOfTwo(62) - proof.PowerOfTwo(shift - 1);
    proof.Assume(p.exact() < bound && p.exact() > -bound);
    EXPECT_TRUE(proof.Holds([&] {
      const Symbolic y = BiasedHalfUp<Symbolic>(p, shift);
      return Definition{p.exact(), proof.PowerOfTwo(shift), y.exact()}.HalfUp();
    })) << "shift "
        << shift << ": " << proof.Counterexample();
  }
}

// Sums of 32 bits may wrap before the last, which is within.
TEST(SimdFormProof, ProductsOfHalvesFloor) {
  for (int shift = 16; shift <= 47; ++shift) {
    Proof proof;
    const Symbolic high = proof.Unknown("product of high", 32), low = proof.Unknown("product of low", 32);
    const Symbolic addend = proof.Unknown("addend", 32);
    proof.Assume(low.exact() >= 0);
    const z3::expr exact = 65536 * (high.exact() + addend.exact()) + low.exact();  // x * multiplier + addend
    proof.Assume(exact < proof.PowerOfTwo(47) && exact > -proof.PowerOfTwo(47));
    EXPECT_TRUE(proof.Holds([&] {
      const z3::expr last = ShortFloor<Symbolic>(high, low, addend, 16).exact();
      const z3::expr fits_int32 = last >= -proof.PowerOfTwo(31) && last < proof.PowerOfTwo(31);
      const z3::expr y = ShortFloor<Symbolic>(high, low, addend, shift).exact();
      return fits_int32 && Definition{exact, proof.PowerOfTwo(shift), y}.Floor();
    })) << "shift "
        << shift << ": " << proof.Counterexample();
  }
}

// The method can fail: a rounding that is wrong for one product in 2^63 is found.
TEST(ProofMethod, FindsTheOneWrongInput) {
  Proof proof;
  const Symbolic p = proof.Unknown("product", 64);
  AssumeProductFits(proof, p, 5);
  EXPECT_FALSE(proof.Holds([&] {
    Symbolic y = RoundShift<Symbolic>(Rounding::kHalfUp, p, 5, false);
    if (p == Symbolic(123456789012345678)) y = y + Symbolic(1);
    return Definition{p.exact(), proof.PowerOfTwo(5), y.exact()}.HalfUp();
  }));
  EXPECT_NE(proof.Counterexample().find("product"), std::string::npos);
}

TEST(ProofMethod, FindsAnOverflow) {
  Proof proof;
  const Symbolic p = proof.Unknown("product", 64);
  EXPECT_FALSE(proof.Holds([&] {  // without the assumption that the product leaves room for the half
    const Symbolic y = RoundShift<Symbolic>(Rounding::kHalfUp, p, 5, false);
    return Definition{p.exact(), proof.PowerOfTwo(5), y.exact()}.HalfUp();
  }));
}

}  // namespace
}  // namespace tally
