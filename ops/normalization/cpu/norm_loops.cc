#include "ops/normalization/cpu/norm_loops.h"

#include "ops/cpu/element.h"
#include "ops/cpu/rounding.h"
#include "ops/cpu/simd_loops.h"

namespace tally::TALLY_ISA {
namespace {

inline int32_t WrapSub32(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}

Moments MomentsOf(const int32_t* x, int64_t n, int32_t origin) {
  int64_t sum = 0;
  uint64_t squares = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int32_t d = WrapSub32(x[i], origin);
    sum += d;
    squares += static_cast<uint64_t>(int64_t{d} * d);
  }
  return {sum, static_cast<int64_t>(squares)};
}

template <bool kPerElement>
void Normalize(const int32_t* x, int32_t* y, int64_t n, const NormArgs& args) {
  const NormArgs a = args;
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const auto d = static_cast<uint32_t>(WrapSub32(x[i], a.origin));
    const auto v = static_cast<int32_t>(d * static_cast<uint32_t>(a.length) - static_cast<uint32_t>(a.sum));
    const auto z = static_cast<int32_t>((int64_t{v} * a.r + a.root_half) >> a.root_shift);
    const auto m = static_cast<int32_t>(a.m[kPerElement ? i : 0]);
    const int64_t scaled = WrapAdd(int64_t{z} * m, a.b[kPerElement ? i : 0]) >> a.shift;
    const int64_t raised = scaled < a.lo ? a.lo : scaled;
    y[i] = static_cast<int32_t>((raised > a.hi ? a.hi : raised) + a.zero_out);
  }
}

#if defined(TALLY_HAS_SIMD_LANES)

// Products of 16-bit lanes next to each other need no conversion. Their sums have 31 bits, without a sign; as
// many as 32 bits hold are added before they are widened.
template <int S>
Moments DenseMoments(const void* x, int64_t n, int32_t, int64_t square) {
  constexpr int64_t kCount = Simd::kCount;
  const Register ones = Simd::Set16(1), low = Simd::Set64(UINT32_MAX);
  const int64_t part = kCount * (square == 0 ? n : UINT32_MAX / (2 * square));  // elements
  Register sum = Simd::Zero(), even = sum, odd = sum;
  for (int64_t start = 0; start < n; start += part) {
    const int64_t end = n - start < part ? n : start + part;
    Register squares = Simd::Zero();
    const auto add = [&](int64_t i, int64_t left) {
      const Register v = Simd::Load<S>(x, i, left);
      squares = Simd::Add32(squares, Simd::MulPairs(v, v));
      sum = Simd::Add32(sum, Simd::MulPairs(v, ones));
    };
    int64_t i = start;
    for (; i + kCount <= end; i += kCount) add(i, kCount);
    if (i < end) add(i, end - i);
    even = Simd::Add64(even, Simd::And(squares, low));
    odd = Simd::Add64(odd, Simd::OddsDown(squares));
  }
  return {Simd::Sum32(sum), Simd::Sum64(Simd::Add64(even, odd))};
}

// The sum fits i32, as length times distance does.
template <>
Moments DenseMoments<2>(const void* x, int64_t n, int32_t origin, int64_t) {
  const Register from = Simd::Set32(origin);
  Register sum = Simd::Zero(), even = sum, odd = sum;
  int64_t i = 0;
  for (; i + Simd::k32BitLanes <= n; i += Simd::k32BitLanes) {
    const Register d = Simd::Sub32(Simd::Load32<2>(x, i, Simd::k32BitLanes), from),
                   second = Simd::OddsDown(d);
    sum = Simd::Add32(sum, d);
    even = Simd::Add64(even, Simd::MulEven(d, d));
    odd = Simd::Add64(odd, Simd::MulEven(second, second));
  }
  const Moments rest = MomentsOf(static_cast<const int32_t*>(x) + i, n - i, origin);
  return {Simd::Sum32(sum) + rest.sum, Simd::Sum64(Simd::Add64(even, odd)) + rest.squares};
}

// 16-bit lanes of even and of odd positions as 32-bit lanes, which a product with a 16-bit lane that has a
// zero beside it makes of them; their products with r are those of even 32-bit lanes and of odd ones, 64 bits
// each. The high 32-bit lane of what is added up is the result but for a shift.
template <int X, int Y>
void DenseNormalize(const void* x, void* y, int64_t n, const NormArgs& args) {
  constexpr int64_t kCount = Simd::kCount, k32BitLanes = Simd::k32BitLanes, kQwords = k32BitLanes / 2;
  const NormArgs a = args;
  const auto least = static_cast<int32_t>(a.lo < INT32_MIN ? INT32_MIN : a.lo),
             most = static_cast<int32_t>(a.hi > INT32_MAX ? INT32_MAX : a.hi);
  // Below 32 bits, length * x and sum have 31 bits, and their products with r 62.
  const int64_t addend = X < 2 ? a.root_half - int64_t{a.sum} * a.r : a.root_half;
  const Register low_length = Simd::Set32(a.length), high_length = Simd::Set32(int64_t{a.length} << 16),
                 origin = Simd::Set32(a.origin), sum = Simd::Set32(a.sum), r = Simd::Set64(a.r),
                 root_addend = Simd::Set64(addend), root_shift = Simd::Set64(a.root_shift),
                 shift = Simd::Set32(a.shift - 32);
  const int64_t* m = a.m;
  const int64_t* b = a.b;
  const int64_t step = a.per_element ? kCount : 0;
  // The results of half of the elements; group k of m and b is that of the even 32-bit lanes.
  const auto finish = [&](Register& v, int k) {
    const auto scale = [&](Register& half, int group) {
      const Register z = Simd::ShiftDown64(Simd::Add64(Simd::MulEven(half, r), root_addend), root_shift);
      half = Simd::Add64(Simd::MulEven(z, Simd::Load(m + group * kQwords)), Simd::Load(b + group * kQwords));
    };
    Register even = v, odd = Simd::OddsDown(v);
    scale(even, k);
    scale(odd, k + 1);
    v = Simd::ShiftDown32(Simd::High32(even, odd), shift);
  };
  const auto block = [&](int64_t i, int64_t left) {
    Register even, odd;
    if constexpr (X < 2) {
      const Register v = Simd::Load<X>(x, i, left);
      even = Simd::MulPairs(v, low_length);
      odd = Simd::MulPairs(v, high_length);
    } else {
      even = Simd::Load32<X>(x, i, left);
      odd = Simd::Load32<X>(x, i + k32BitLanes, left - k32BitLanes);
      Simd::Split32(even, odd);
      even = Simd::Sub32(Simd::Mul32(Simd::Sub32(even, origin), low_length), sum);
      odd = Simd::Sub32(Simd::Mul32(Simd::Sub32(odd, origin), low_length), sum);
    }
    finish(even, 0);
    finish(odd, 2);
    if constexpr (Y == 2) {
      const auto place = [&](Register& v) {
        v = Simd::Add32(Simd::Min32(Simd::Max32(v, Simd::Set32(least)), Simd::Set32(most)),
                        Simd::Set32(a.zero_out));
      };
      place(even);
      place(odd);
      Simd::Join32(even, odd);
      Simd::Store32(y, i, left, even);
      Simd::Store32(y, i + k32BitLanes, left - k32BitLanes, odd);
    } else {
      // A value that is saturated to 16-bit lanes here is clamped within them.
      const Register words = Simd::OrderPairs(Simd::Pack(even, odd));
      const Register clamped = Simd::Min16(Simd::Max16(words, Simd::Set16(least)), Simd::Set16(most));
      Simd::Store<Y>(y, i, left, Simd::Add16(clamped, Simd::Set16(a.zero_out)));
    }
    m += step;
    b += step;
  };
  int64_t i = 0;
  for (; i + kCount <= n; i += kCount) block(i, kCount);
  if (i < n) block(i, n - i);
}

#endif

}  // namespace

const NormLoops kNormLoops = {
    MomentsOf,
    {Normalize<false>, Normalize<true>},
#if defined(TALLY_HAS_SIMD_LANES)
    Simd::kCount,
    {DenseMoments<0>, DenseMoments<1>, DenseMoments<2>},
    {{DenseNormalize<0, 0>, DenseNormalize<0, 1>, DenseNormalize<0, 2>},
     {DenseNormalize<1, 0>, DenseNormalize<1, 1>, DenseNormalize<1, 2>},
     {DenseNormalize<2, 0>, DenseNormalize<2, 1>, DenseNormalize<2, 2>}},
#else
    0,         {},
    {},
#endif
};

}  // namespace tally::TALLY_ISA
