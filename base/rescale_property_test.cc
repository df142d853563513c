// Laws of base/rescale.h over random values: exactness, independence of the integer type, and the validator's
// bound on intermediates.
#include <algorithm>
#include <compare>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "base/int_math.h"
#include "base/rescale.h"
#include "base/testing/rounding_oracle.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace tally {
namespace {

// A 64-bit integer that throws where int64_t would wrap.
class Trapping {
 public:
  explicit Trapping(int64_t value) : value_(value) {}
  friend Trapping operator+(Trapping a, Trapping b) { return Checked(CheckedAdd<int64_t>, a, b); }
  friend Trapping operator-(Trapping a, Trapping b) { return Checked(CheckedSub<int64_t>, a, b); }
  friend Trapping operator*(Trapping a, Trapping b) { return Checked(CheckedMul<int64_t>, a, b); }
  friend Trapping operator>>(Trapping a, int shift) { return Trapping(a.value_ >> shift); }
  friend auto operator<=>(Trapping, Trapping) = default;
  int64_t value() const { return value_; }

 private:
  static Trapping Checked(bool (*op)(int64_t, int64_t, int64_t*), Trapping a, Trapping b) {
    int64_t result = 0;
    if (!op(a.value_, b.value_, &result)) throw std::overflow_error("64-bit overflow");
    return Trapping(result);
  }
  int64_t value_;
};

// Signed values whose bit lengths 0 .. max_bits are equally likely.
rc::Gen<int64_t> SignedUpTo(int max_bits) {
  return rc::gen::exec([max_bits] {
    const int bits = *rc::gen::inRange(0, max_bits + 1);
    const auto magnitude = *rc::gen::inRange<int64_t>(0, int64_t{1} << bits);
    return *rc::gen::arbitrary<bool>() ? -magnitude : magnitude;
  });
}

rc::Gen<Rounding> AnyRounding() {
  return rc::gen::element(Rounding::kFloor, Rounding::kHalfUp, Rounding::kHalfAway, Rounding::kHalfEven,
                          Rounding::kDouble, Rounding::kTrunc);
}

// rc::gen::inRange collapses toward its lower end at small sizes; the shift should not.
rc::Gen<int> AnyShift() { return rc::gen::resize(100, rc::gen::inRange(0, kMaxRescaleShift + 1)); }

RC_GTEST_PROP(RescaleProperty, RoundShiftIsTheExactRationalRounded, ()) {
  const int shift = *AnyShift();
  const Rounding rounding = *AnyRounding();
  int64_t product = *SignedUpTo(62);
  // Half of the samples are at or next to a midpoint.
  if (shift > 0 && *rc::gen::arbitrary<bool>()) {
    product = ((product >> shift) << shift) + (int64_t{1} << (shift - 1)) + *rc::gen::inRange(-1, 2);
  }
  RC_TAG(RoundingName(rounding).data());
  const BigInt expected = RoundExactly(rounding, product, shift);
  RC_ASSERT(RoundShift<int64_t>(rounding, product, shift, product < 0) == expected);
  RC_ASSERT(RoundShift<BigInt>(rounding, product, shift, product < 0) == expected);
}

RC_GTEST_PROP(RescaleProperty, BigIntRoundsBeyond64BitsToo, ()) {
  const BigInt product = BigInt(*SignedUpTo(62)) * (BigInt(1) << 64) + *SignedUpTo(62);
  const int shift = *AnyShift();
  const Rounding rounding = *AnyRounding();
  RC_ASSERT(RoundShift<BigInt>(rounding, product, shift, product < 0) ==
            RoundExactly(rounding, product, shift));
}

// 31-bit multipliers on 32-bit values, and 15-bit ones on 48-bit values, meet the bound whatever else holds;
// then no intermediate leaves 64 bits, and every integer type gives the same result.
RC_GTEST_PROP(RescaleProperty, ValuesWithinTheBoundNeverTrap, ()) {
  const bool wide = *rc::gen::arbitrary<bool>();
  RescaleParams params;
  params.rounding = *AnyRounding();
  params.shift = *AnyShift();
  params.zero_out = static_cast<int32_t>(*SignedUpTo(30));
  params.multiplier = static_cast<int32_t>(*SignedUpTo(wide ? 14 : 30));
  params.bias = *SignedUpTo(60);
  if (params.rounding == Rounding::kDouble) {
    params.multiplier = std::abs(params.multiplier);
    params.bias = 0;
  }
  params.zero_in = static_cast<int32_t>(*SignedUpTo(30));
  const int64_t x = *SignedUpTo(wide ? 46 : 30);
  const int64_t a = *SignedUpTo(62), b = *SignedUpTo(8);
  params.lo = std::min(a, b);
  params.hi = std::max(a, b);

  const BigInt value = BigInt(x) - params.zero_in;
  const BigInt product = value * params.multiplier + params.bias;
  BigInt expected = RoundExactly(params.rounding, product, params.shift) + params.zero_out;
  if (expected < params.lo) expected = params.lo;
  if (expected > params.hi) expected = params.hi;
  RC_ASSERT(Rescale<BigInt>(x, params) == expected);
  RC_ASSERT(Rescale<int64_t>(x, params) == expected);
  RC_ASSERT(Rescale<Trapping>(Trapping(x), params).value() == expected);
}

// Interval inference relies on this: with a positive multiplier the image of [a, b] is bounded by the images
// of a and b, in every mode.
RC_GTEST_PROP(RescaleProperty, PositiveMultiplierIsMonotone, ()) {
  RescaleParams params;
  params.rounding = *AnyRounding();
  params.shift = *AnyShift();
  params.multiplier = static_cast<int32_t>(*rc::gen::inRange(1, 1 << 30));
  params.lo = -(int64_t{1} << 62);
  params.hi = int64_t{1} << 62;
  const int64_t x = *SignedUpTo(30);
  const int64_t step = *rc::gen::inRange(0, 5);
  RC_ASSERT(Rescale<int64_t>(x, params) <= Rescale<int64_t>(x + step, params));
}

}  // namespace
}  // namespace tally
