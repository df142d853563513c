// For every int64_t product within the bound that base/rescale.h asks for, and for every shift: each rounding is
// the integer that its definition names, and nothing overflows on the way.
#include <gtest/gtest.h>

#include "base/rescale.h"
#include "tests/proofs/symbolic.h"

namespace tally {
namespace {

constexpr unsigned kExactBits = 72;  // of 64-bit values, their sums, and products with a quotient's unit

// |p| + 2^(s-1) + 2^30 < 2^63
void AssumeProductFits(Proof& proof, const Symbolic& p, int shift) {
  const z3::expr half = shift == 0 ? proof.Number(0) : proof.PowerOfTwo(shift - 1);
  const z3::expr bound = proof.PowerOfTwo(63) - half - proof.PowerOfTwo(30);
  proof.Assume(p.exact() < bound && p.exact() > -bound);
}

// The definitions, each by the inequality that names its integer: none of them shifts or adds a half.
struct Definition {
  Proof& proof;
  z3::expr p, unit, y;  // y ~ p / unit

  z3::expr remainder() const { return p - y * unit; }
  z3::expr twice() const { return proof.Number(2) * remainder(); }

  z3::expr Floor() const { return remainder() >= proof.Number(0) && remainder() < unit; }
  z3::expr HalfUp() const { return twice() >= -unit && twice() < unit; }
  z3::expr HalfDown() const { return twice() > -unit && twice() <= unit; }
  z3::expr HalfAway() const { return z3::ite(p < proof.Number(0), HalfDown(), HalfUp()); }
  z3::expr HalfEven() const {
    const z3::expr tie = twice() == unit || twice() == -unit;
    const z3::expr even = y.extract(0, 0) == y.ctx().bv_val(0, 1);
    return (twice() > -unit && twice() < unit) || (tie && even);
  }
  z3::expr Trunc() const {
    const z3::expr toward = z3::ite(p < proof.Number(0), remainder() <= proof.Number(0), remainder() >= proof.Number(0));
    return toward && remainder() < unit && remainder() > -unit;
  }
};

z3::expr Defines(Rounding rounding, const Definition& d) {
  switch (rounding) {
    case Rounding::kFloor: return d.Floor();
    case Rounding::kHalfUp: return d.HalfUp();
    case Rounding::kHalfAway: return d.HalfAway();
    case Rounding::kHalfEven: return d.HalfEven();
    case Rounding::kTrunc: return d.Trunc();
    case Rounding::kDouble: break;  // has a definition of two steps
  }
  std::abort();
}

class RoundingProof : public testing::TestWithParam<Rounding> {};

TEST_P(RoundingProof, IsItsDefinitionForEveryProductAndShift) {
  for (int shift = 0; shift <= kMaxRescaleShift; ++shift) {
    Proof proof(kExactBits);
    const Symbolic p = proof.Unknown("product", 64);
    AssumeProductFits(proof, p, shift);
    EXPECT_TRUE(proof.Holds([&] {
      const Symbolic y = RoundShift<Symbolic>(GetParam(), p, shift, false);
      return Defines(GetParam(), {proof, p.exact(), proof.PowerOfTwo(shift), y.exact()});
    })) << "shift " << shift << ": " << proof.Counterexample();
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, RoundingProof,
                         testing::Values(Rounding::kFloor, Rounding::kHalfUp, Rounding::kHalfAway,
                                         Rounding::kHalfEven, Rounding::kTrunc),
                         [](const auto& info) { return std::string(RoundingName(info.param)); });

// TFLite's two steps: half up by 31, then half away by the rest (for products of a value and a multiplier >= 0,
// whose sign is the value's); one step of half up when the shift is at most 31.
TEST(DoubleRoundingProof, IsItsTwoStepsForEveryProductAndShift) {
  for (int shift = 0; shift <= kMaxRescaleShift; ++shift) {
    for (const bool negative : {false, true}) {
      Proof proof(kExactBits);
      const Symbolic p = proof.Unknown("product", 64);
      AssumeProductFits(proof, p, shift);
      proof.Assume(negative ? p.exact() <= proof.Number(0) : p.exact() >= proof.Number(0));
      const int first_shift = std::min(shift, 31);
      const Symbolic first = proof.Unknown("first", 65 - first_shift);
      // `first` is the first step, uniquely, by its definition.
      proof.Assume(Definition{proof, p.exact(), proof.PowerOfTwo(first_shift), first.exact()}.HalfUp());
      EXPECT_TRUE(proof.Holds([&] {
        const Symbolic y = RoundShift<Symbolic>(Rounding::kDouble, p, shift, negative);
        if (shift <= 31) return y.exact() == first.exact();
        const Definition second{proof, first.exact(), proof.PowerOfTwo(shift - 31), y.exact()};
        return negative ? second.HalfDown() : second.HalfUp();
      })) << "shift " << shift << (negative ? ", negative: " : ": ") << proof.Counterexample();
    }
  }
}

// Clamping and the zero point stand around the rounding, whatever it is: the result is the nearest value of
// [lo, hi] to the rounded value plus zero_out.
TEST(RescaleProof, ClampsTheRoundedValuePlusTheZeroPoint) {
  for (const int shift : {0, 1, 31, 32, 62}) {
    Proof proof(kExactBits);
    const Symbolic x = proof.Unknown("x", 32);
    const RescaleParams params = {.zero_in = -77, .multiplier = 1073741825, .shift = shift,
                                  .rounding = Rounding::kHalfUp, .zero_out = 13, .lo = -128, .hi = 127};
    EXPECT_TRUE(proof.Holds([&] {
      const Symbolic y = Rescale<Symbolic>(x, params);
      const z3::expr p = (x.exact() + proof.Number(77)) * proof.Number(1073741825);
      const Symbolic rounded = RoundShift<Symbolic>(Rounding::kHalfUp, Symbolic(&proof, p), shift, false);
      const z3::expr wanted = rounded.exact() + proof.Number(13);
      const z3::expr lo = proof.Number(-128), hi = proof.Number(127);
      return y.exact() == z3::ite(wanted < lo, lo, z3::ite(wanted > hi, hi, wanted));
    })) << "shift " << shift << ": " << proof.Counterexample();
  }
}

// The method can fail: a rounding that is wrong for one product in 2^63 is found.
TEST(ProofMethod, FindsTheOneWrongInput) {
  Proof proof(kExactBits);
  const Symbolic p = proof.Unknown("product", 64);
  AssumeProductFits(proof, p, 5);
  EXPECT_FALSE(proof.Holds([&] {
    Symbolic y = RoundShift<Symbolic>(Rounding::kHalfUp, p, 5, false);
    if (p == Symbolic(123456789012345678)) y = y + Symbolic(1);
    return Definition{proof, p.exact(), proof.PowerOfTwo(5), y.exact()}.HalfUp();
  }));
  EXPECT_NE(proof.Counterexample().find("product"), std::string::npos);
}

TEST(ProofMethod, FindsAnOverflow) {
  Proof proof(kExactBits);
  const Symbolic p = proof.Unknown("product", 64);
  EXPECT_FALSE(proof.Holds([&] {  // without the assumption that the product leaves room for the half
    const Symbolic y = RoundShift<Symbolic>(Rounding::kHalfUp, p, 5, false);
    return Definition{proof, p.exact(), proof.PowerOfTwo(5), y.exact()}.HalfUp();
  }));
}

}  // namespace
}  // namespace tally
