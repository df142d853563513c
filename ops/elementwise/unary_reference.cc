#include "base/division.h"
#include "ops/elementwise/attrs.h"
#include "ops/reference.h"

namespace tally {
namespace {

template <typename Int, typename Op>
void ForEach(const ReferenceContext<Int>& c, Op op) {
  for (const int64_t i : c.elements()) c.results[0].Set(i, op(c.operands[0][i]));
}

template <typename Int>
Int Magnitude(const Int& x) {
  const Int zero(int64_t{0});
  return x < zero ? Int(zero - x) : x;
}

}  // namespace

template <typename Int>
void ReferenceAbs(const ReferenceContext<Int>& c) {
  ForEach(c, [](const Int& x) { return Magnitude<Int>(x); });
}

TALLY_REFERENCE(Abs);

template <typename Int>
void ReferenceNegative(const ReferenceContext<Int>& c) {
  ForEach(c, [](const Int& x) { return Int(Int(int64_t{0}) - x); });
}

TALLY_REFERENCE(Negative);

template <typename Int>
void ReferenceRelu(const ReferenceContext<Int>& c) {
  const Int zero(int64_t{0});
  ForEach(c, [&](const Int& x) { return x < zero ? zero : x; });
}

TALLY_REFERENCE(Relu);

template <typename Int>
void ReferenceClip(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<ClipAttrs>();
  const Int a_min(attrs.a_min), a_max(attrs.a_max);
  ForEach(c, [&](const Int& x) { return x < a_min ? a_min : x > a_max ? a_max : x; });
}

TALLY_REFERENCE(Clip);

// The bits of |x|, found by halving: 0 and 1 take one bit, 2 and 3 two, 4 to 7 three.
template <typename Int>
void ReferenceCvmPrecision(const ReferenceContext<Int>& c) {
  const Int one(int64_t{1});
  ForEach(c, [&](const Int& x) {
    int64_t bits = 1;
    for (Int rest = Magnitude<Int>(x); rest > one; rest = Int(rest >> 1)) ++bits;
    return Int(bits);
  });
}

TALLY_REFERENCE(CvmPrecision);

// The zeros in front of the first one of x, written in `bits` binary digits; a negative x starts with a one.
template <typename Int>
void ReferenceClz(const ReferenceContext<Int>& c) {
  const Int zero(int64_t{0});
  const int64_t bits = c.template attrs<ClzAttrs>().bits;
  ForEach(c, [&](const Int& x) {
    if (x < zero) return zero;
    int64_t zeros = bits;
    for (Int rest = x; rest > zero; rest = Int(rest >> 1)) --zeros;
    return Int(zeros);
  });
}

TALLY_REFERENCE(Clz);

template <typename Int>
void ReferenceSqrt(const ReferenceContext<Int>& c) {
  const Int zero(int64_t{0});
  const RootRounding rounding = c.template attrs<SqrtAttrs>().rounding;
  ForEach(c, [&](const Int& x) {
    if (x < zero) return zero;
    return rounding == RootRounding::kFloor ? FloorSqrt<Int>(x) : NearestSqrt<Int>(x);
  });
}

TALLY_REFERENCE(Sqrt);

}  // namespace tally
