// Division, square roots, CVM's shifts, and the algebra by which clamps and zero points are folded, for all
// inputs.
//
// Proven: RoundDiv in all modes; that every step of FloorSqrt keeps the root between the brackets of its bit,
// and that the nearest root follows from the floor; CVM's shifts for every precision and shift. By hand, in
// words: that the brackets of the 24 steps of FloorSqrt follow one another
// (EachStepHalvesTheIntervalOfTheRoot). Tested only, in base/division_test.cc: FloorSqrt as a whole.
#include <gtest/gtest.h>

#include "base/division.h"
#include "ops/rescale/cvm_shift.h"
#include "tests/proofs/definition.h"
#include "tests/proofs/symbolic.h"

namespace tally {
namespace {

z3::expr Magnitude(const z3::expr& x) { return z3::ite(x < 0, -x, x); }

class DivisionProof : public testing::TestWithParam<Rounding> {};

// Every dividend and every divisor but 0, within the range that base/division.h states.
TEST_P(DivisionProof, IsItsDefinitionForEveryDividendAndDivisor) {
  Proof proof;
  const Symbolic a = proof.Unknown("a", 64), b = proof.Unknown("b", 64);
  proof.Assume(b.exact() != 0 && 2 * (Magnitude(a.exact()) + Magnitude(b.exact())) < proof.PowerOfTwo(63));
  EXPECT_TRUE(proof.Holds([&] {
    const Symbolic y = RoundDiv<Symbolic>(GetParam(), a, b);
    // a / b and -a / -b are the same number; the definition takes a unit above 0.
    return z3::implies(b.exact() > 0, Definition{a.exact(), b.exact(), y.exact()}.Of(GetParam())) &&
           z3::implies(b.exact() < 0, Definition{-a.exact(), -b.exact(), y.exact()}.Of(GetParam()));
  })) << proof.Counterexample();
  EXPECT_GT(proof.paths(), 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, DivisionProof,
                         testing::Values(Rounding::kFloor, Rounding::kHalfUp, Rounding::kHalfAway,
                                         Rounding::kHalfEven, Rounding::kTrunc),
                         [](const auto& info) { return std::string(RoundingName(info.param)); });

// The facts about products of an unknown that the proof of half_even is given.
TEST(DivisionProof, ProductsLieAsFarApartAsTheirFactors) {
  Proof proof;
  const Symbolic a = proof.Unknown("a", 64), b = proof.Unknown("b", 64), unit = proof.Unknown("unit", 64);
  const z3::expr far = b.exact() - a.exact() - 4, behind = a.exact() - b.exact() - 4;
  EXPECT_TRUE(proof.Holds([&] {
    // A product of two numbers >= 0 is one; distributed, it is the lemma.
    return z3::implies(z3::implies(unit.exact() > 0 && far >= 0, far * unit.exact() >= 0) &&
                           z3::implies(unit.exact() > 0 && behind >= 0, behind * unit.exact() >= 0),
                       proof.ProductsCompare(a.exact(), b.exact(), unit.exact()));
  })) << proof.Counterexample();
}

class RootProof : public testing::Test {
 protected:
  static z3::expr Square(const z3::expr& x) { return x * x; }
};

// Before the step, x is in [root^2, (root + 2 bit)^2); after it, in [root^2, (root + bit)^2). From root =
// 0 and the bit 2^23, whose interval is [0, 2^48), 24 steps leave [root^2, (root + 1)^2), which is what a
// floor means.
TEST_F(RootProof, EachStepHalvesTheIntervalOfTheRoot) {
  for (int64_t bit = int64_t{1} << 23; bit > 0; bit /= 2) {
    Proof proof;
    const Symbolic x = proof.Unknown("x", 49), root = proof.Unknown("root", 25);
    proof.Assume(root.exact() >= 0 && root.exact() + proof.Number(2 * bit) <= proof.PowerOfTwo(24));
    proof.Assume(Square(root.exact()) <= x.exact() &&
                 x.exact() < Square(root.exact() + proof.Number(2 * bit)));
    EXPECT_TRUE(proof.Holds([&] {
      const z3::expr y = RefineSqrt<Symbolic>(x, root, bit).exact();
      return y >= 0 && y + proof.Number(bit) <= proof.PowerOfTwo(24) && Square(y) <= x.exact() &&
             x.exact() < Square(y + proof.Number(bit));
    })) << "bit "
        << bit << ": " << proof.Counterexample();
    EXPECT_EQ(proof.paths(), 2);
  }
}

// (y - 1/2)^2 < x < (y + 1/2)^2, but for y = 0, which has nothing below.
TEST_F(RootProof, TheNearestRootFollowsFromTheFloor) {
  Proof proof;
  const Symbolic x = proof.Unknown("x", 49), root = proof.Unknown("root", 25);
  proof.Assume(root.exact() >= 0 && Square(root.exact()) <= x.exact() &&
               x.exact() < Square(root.exact() + 1));
  EXPECT_TRUE(proof.Holds([&] {
    const z3::expr y = NearestToSqrt<Symbolic>(x, root).exact();
    return y >= 0 && (y == 0 || Square(2 * y - 1) < 4 * x.exact()) && 4 * x.exact() < Square(2 * y + 1);
  })) << proof.Counterexample();
  EXPECT_EQ(proof.paths(), 2);
}

z3::expr Clamp(const z3::expr& x, const z3::expr& lo, const z3::expr& hi) {
  return z3::ite(x < lo, lo, z3::ite(x > hi, hi, x));
}

// An alpha in [0, 2^31 - 1], of which every precision in [1, 32] has one.
Symbolic AnyAlpha(Proof& proof) {
  static_assert(CvmAlpha(1) == 0 && CvmAlpha(32) == (int64_t{1} << 31) - 1);
  const Symbolic alpha = proof.Unknown("alpha", 32);
  proof.Assume(alpha.exact() >= 0);
  return alpha;
}

// The document's form takes two floors; ours takes one.
TEST(CvmShiftProof, RightShiftIsTheTwoFloorsOfTheDocumentForEveryPrecision) {
  for (int64_t shift = 1; shift <= 32; ++shift) {
    Proof proof;
    const Symbolic x = proof.Unknown("x", 48), alpha = AnyAlpha(proof);
    EXPECT_TRUE(proof.Holds([&] {
      const z3::expr nested = (x.exact() / proof.PowerOfTwo(static_cast<int>(shift) - 1) + 1) / 2;
      return CvmRightShiftTo<Symbolic>(x, alpha, shift).exact() ==
             Clamp(nested, -alpha.exact(), alpha.exact());
    })) << "shift "
        << shift << ": " << proof.Counterexample();
  }
}

TEST(CvmShiftProof, LeftShiftSaturatesTheExactProductForEveryPrecision) {
  for (int64_t shift = 1; shift <= 32; ++shift) {
    Proof proof;
    const Symbolic x = proof.Unknown("x", 64), alpha = AnyAlpha(proof);
    EXPECT_TRUE(proof.Holds([&] {
      const z3::expr product = x.exact() * proof.PowerOfTwo(static_cast<int>(shift));
      return CvmLeftShiftTo<Symbolic>(x, alpha, shift).exact() ==
             Clamp(product, -alpha.exact(), alpha.exact());
    })) << "shift "
        << shift << ": " << proof.Counterexample();
  }
}

// A clamp after a clamp is one clamp, to the first one's ends clamped by the second: how a producer folds an
// activation into the rescale before it.
TEST(ClampProof, TwoClampsFoldIntoOne) {
  Proof proof;
  const Symbolic x = proof.Unknown("x", 64), a = proof.Unknown("a", 48), b = proof.Unknown("b", 48);
  const Symbolic c = proof.Unknown("c", 48), d = proof.Unknown("d", 48);
  proof.Assume(a.exact() <= b.exact() && c.exact() <= d.exact());
  EXPECT_TRUE(proof.Holds([&] {
    const z3::expr twice = Clamp(Clamp(x.exact(), a.exact(), b.exact()), c.exact(), d.exact());
    const z3::expr lo = Clamp(a.exact(), c.exact(), d.exact()), hi = Clamp(b.exact(), c.exact(), d.exact());
    return lo <= hi && twice == Clamp(x.exact(), lo, hi);
  })) << proof.Counterexample();
}

// relu(y - z) + z is a clamp from below at z.
TEST(ClampProof, ReluAroundAZeroPointIsAClamp) {
  Proof proof;
  const Symbolic y = proof.Unknown("y", 48), z = proof.Unknown("z", 32);
  EXPECT_TRUE(proof.Holds([&] {
    const z3::expr v = y.exact() - z.exact();
    return z3::ite(v > 0, v, proof.Number(0)) + z.exact() ==
           z3::ite(y.exact() < z.exact(), z.exact(), y.exact());
  })) << proof.Counterexample();
}

// Sum of (x - zx) * w + b equals the sum of x * w plus a constant, term by term; and a position outside the
// tensor contributes 0 exactly when it holds zx.
TEST(ZeroPointProof, FoldsIntoTheBias) {
  Proof proof;
  const Symbolic b = proof.Unknown("b", 48), zx = proof.Unknown("zx", 32);
  z3::expr defined = b.exact(), folded = b.exact(), weights = proof.Number(0);
  for (const char* k : {"0", "1", "2"}) {
    const z3::expr x = proof.Unknown(std::string("x") + k, 16).exact();
    const z3::expr w = proof.Unknown(std::string("w") + k, 16).exact();
    defined = defined + (x - zx.exact()) * w;
    folded = folded + x * w;
    weights = weights + w;
  }
  EXPECT_TRUE(proof.Holds([&] { return defined == folded - zx.exact() * weights; }))
      << proof.Counterexample();
}

// Unsigned 8-bit multipliers (VNNI, dp4a) serve signed operands with a correction by the weights.
TEST(ZeroPointProof, UnsignedOperandsServeSignedOnes) {
  Proof proof;
  const Symbolic x = proof.Unknown("x", 8), w = proof.Unknown("w", 8);
  EXPECT_TRUE(proof.Holds([&] {
    const z3::expr u = x.exact() + 128;
    return u >= 0 && u < 256 && u * w.exact() - 128 * w.exact() == x.exact() * w.exact();
  })) << proof.Counterexample();
}

// A 16-bit operand on 8-bit multipliers: x = 256 h + l with a signed high and an unsigned low byte.
TEST(SplitProof, TwoBytesMakeAnI16Product) {
  Proof proof;
  const Symbolic x = proof.Unknown("x", 16), w = proof.Unknown("w", 16);
  EXPECT_TRUE(proof.Holds([&] {
    const z3::expr h = FloorShift<Symbolic>(x, 8).exact(), l = x.exact() - 256 * h;
    return h >= -128 && h < 128 && l >= 0 && l < 256 &&
           256 * (h * w.exact()) + l * w.exact() == x.exact() * w.exact();
  })) << proof.Counterexample();
}

}  // namespace
}  // namespace tally
