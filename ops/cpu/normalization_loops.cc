#include "ops/cpu/normalization_loops.h"

#include "ops/cpu/binade.h"
#include "ops/cpu/element.h"
#include "ops/cpu/quotients_loops.h"
#include "ops/cpu/rounding.h"
#include "ops/cpu/simd_loops.h"

namespace tally::TALLY_ISA {
namespace {

inline int64_t Clamp(int64_t v, int64_t lo, int64_t hi) {
  const int64_t raised = v < lo ? lo : v;
  return raised > hi ? hi : raised;
}

int32_t Max(const void* x_bytes, int64_t n) {
  const auto* x = At<2>(x_bytes);
  int32_t max = x[0];
  for (int64_t i = 1; i < n; ++i) max = x[i] > max ? x[i] : max;
  return max;
}

// Every lane reads an entry, the last one where its own follows the end; a mask then makes that 0.
template <int T>
[[maybe_unused]] int64_t Exponentials(const void* x_bytes, int64_t n, int32_t max, const void* table_bytes,
                                      int64_t entries, int32_t* e) {
  const auto* x = At<2>(x_bytes);
  const auto* table = At<T>(table_bytes);
  const auto count = static_cast<uint32_t>(entries);
  int64_t sum = 0;
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t distance = static_cast<uint32_t>(max) - static_cast<uint32_t>(x[i]);
    const uint32_t index = distance < count ? distance : count - 1;
    const auto entry = static_cast<int32_t>(table[static_cast<int32_t>(index)]);
    const int32_t v = distance < count ? entry : 0;
    e[i] = v;
    sum += v;
  }
  return sum;
}

template <typename Reciprocal>
void Scale(const int32_t* e, int32_t* y, int64_t n, uint64_t r, int64_t shift, int64_t lo, int64_t hi,
           int64_t zero_out) {
  const auto reciprocal = static_cast<Reciprocal>(r);
  const uint64_t half = shift == 0 ? 0 : uint64_t{1} << (shift - 1);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t product = uint64_t{static_cast<uint32_t>(e[i])} * reciprocal;
    y[i] = static_cast<int32_t>(Clamp(static_cast<int64_t>((product + half) >> shift), lo, hi) + zero_out);
  }
}

void Logarithms(const int32_t* x, int32_t* y, int64_t n, int32_t max, int64_t m, int64_t b, int64_t shift,
                int64_t lo, int64_t hi, int64_t zero_out) {
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const int64_t exact = WrapAdd(WrapMul(int64_t{x[i]} - max, m), b);
    y[i] = static_cast<int32_t>(Clamp(exact >> shift, lo, hi) + zero_out);
  }
}

// sums[i, w] = the sum of the squares of x[i - before .. i + after, w]. kWidth: the width, or 0.
template <int64_t kWidth>
void SlideSquares(const ResponseArgs& args, int64_t* sums) {
  const ResponseArgs a = args;
  const int64_t width = kWidth == 0 ? a.width : kWidth;
  const auto square = [&](int64_t i, int64_t w) {
    return i >= 0 && i < a.n ? a.x[i * width + w] * a.x[i * width + w] : 0;
  };
  for (int64_t w = 0; w < width; ++w) {
    sums[w] = 0;
    for (int64_t k = 0; k <= a.after && k < a.n; ++k) sums[w] += square(k, w);
  }
  for (int64_t i = 1; i < a.n; ++i) {
    TALLY_SIMD
    for (int64_t w = 0; w < width; ++w) {
      sums[i * width + w] = sums[(i - 1) * width + w] + square(i + a.after, w) - square(i - a.before - 1, w);
    }
  }
}

void RespondTo(const ResponseArgs& args, const int64_t* squares, int64_t* y) {
  const ResponseArgs a = args;
  const int64_t *x = a.x, *mantissas = a.mantissas, *exponents = a.exponents;
  TALLY_SIMD
  for (int64_t i = 0; i < a.n * a.width; ++i) {
    const int64_t u = a.bias + a.alpha * squares[i], exponent = FloorLog2(static_cast<uint64_t>(u));
    const int64_t product = InterpolateBinade(u, exponent, mantissas) * exponents[exponent];
    const int64_t power = (product + (int64_t{1} << 30)) >> 31;
    y[i] = Clamp(((x[i] * power + a.half) >> a.shift) + a.zero_out, a.lo, a.hi);
  }
}

void Respond(const ResponseArgs& args, int64_t* squares, int64_t* y) {
  args.width == 1 ? SlideSquares<1>(args, squares) : SlideSquares<0>(args, squares);
  RespondTo(args, squares, y);
}

#if defined(TALLY_HAS_SIMD_LANES)

// Lanes after the end of the table are masked out of the gather, which the compiler does not do by itself.
// Three exponentials have 32 bits together.
int64_t GatherExponentials(const void* x, int64_t n, int32_t max, const void* table, int64_t entries,
                           int32_t* e) {
  constexpr int64_t k32BitLanes = Simd::k32BitLanes;
  const Register count = Simd::Set32(entries), most = Simd::Set32(max), low = Simd::Set64(UINT32_MAX);
  Register sums = Simd::Zero(), three = sums;
  const auto gather = [&](int64_t i, int64_t left) {
    const Register distance = Simd::Sub32(most, Simd::Load32<2>(x, i, left));
    const Register v = Simd::Gather(static_cast<const int32_t*>(table), distance, count, left);
    Simd::Store32(e, i, left, v);
    three = Simd::Add32(three, v);
  };
  const auto widen = [&] {
    sums = Simd::Add64(sums, Simd::Add64(Simd::And(three, low), Simd::OddsDown(three)));
    three = Simd::Zero();
  };
  int64_t i = 0;
  for (; i + 3 * k32BitLanes <= n; i += 3 * k32BitLanes) {
    for (int64_t k = 0; k < 3; ++k) gather(i + k * k32BitLanes, k32BitLanes);
    widen();
  }
  for (; i < n; i += k32BitLanes) gather(i, n - i);
  widen();
  return Simd::Sum64(sums);
}

void ScaleI16(const int32_t* e, int32_t* y, int64_t n, uint64_t r, int64_t shift, int64_t lo, int64_t hi,
              int64_t zero_out) {
  if (lo > INT32_MAX || hi < INT32_MIN || shift < 33) {
    return Scale<uint32_t>(e, y, n, r, shift, lo, hi, zero_out);
  }
  const Quotients quotients(r, shift);
  const Register least = Simd::Set32(lo < INT32_MIN ? INT32_MIN : lo),
                 most = Simd::Set32(hi > INT32_MAX ? INT32_MAX : hi), zero = Simd::Set32(zero_out);
  for (int64_t i = 0; i < n; i += Simd::k32BitLanes) {
    Register v = Simd::Load32<2>(e, i, n - i);
    quotients.Scale(v);
    Simd::Store32(y, i, n - i, Simd::Add32(Simd::Min32(Simd::Max32(v, least), most), zero));
  }
}

#endif

}  // namespace

const NormalizationLoops kNormalizationLoops = {
    Max,
#if defined(TALLY_HAS_SIMD_LANES)
    {Exponentials<0>, Exponentials<1>, GatherExponentials},
    {Scale<uint64_t>, ScaleI16},
#else
    {Exponentials<0>, Exponentials<1>, Exponentials<2>},
    {Scale<uint64_t>, Scale<uint32_t>},
#endif
    Logarithms,
    Respond,
    RespondTo,
};

}  // namespace tally::TALLY_ISA
