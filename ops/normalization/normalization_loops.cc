#include "ops/normalization/normalization_loops.h"

#include "ops/normalization/words_loops.h"
#include "ops/simd/element.h"
#include "ops/simd/octave.h"
#include "ops/simd/rounding.h"

namespace tally::TALLY_ISA {
namespace {

inline int64_t Clamp(int64_t v, int64_t lo, int64_t hi) {
  const int64_t raised = v < lo ? lo : v;
  return raised > hi ? hi : raised;
}

template <int S>
int32_t Max(const void* x_bytes, int64_t n) {
  const auto* x = At<S>(x_bytes);
  Element<S> max = x[0];
  for (int64_t i = 1; i < n; ++i) max = x[i] > max ? x[i] : max;
  return max;
}

// Every lane reads an entry, the last one where its own lies behind the end; a mask then makes that 0.
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
    const int64_t product = InterpolateOctave(u, exponent, mantissas) * exponents[exponent];
    const int64_t power = (product + (int64_t{1} << 30)) >> 31;
    y[i] = Clamp(((x[i] * power + a.half) >> a.shift) + a.zero_out, a.lo, a.hi);
  }
}

void Respond(const ResponseArgs& args, int64_t* squares, int64_t* y) {
  args.width == 1 ? SlideSquares<1>(args, squares) : SlideSquares<0>(args, squares);
  RespondTo(args, squares, y);
}

#if defined(TALLY_HAS_WORDS)

// Lanes behind the end of the table are masked out of the gather, which the compiler does not do by itself. Three
// exponentials have 32 bits together.
template <int S>
int64_t GatherExponentials(const void* x, int64_t n, int32_t max, const void* table, int64_t entries,
                           int32_t* e) {
  constexpr int64_t kDwords = Words::kDwords;
  const Register count = Words::Set32(entries), most = Words::Set32(max), low = Words::Set64(UINT32_MAX);
  Register sums = Words::Zero(), three = sums;
  const auto gather = [&](int64_t i, int64_t left) {
    const Register distance = Words::Sub32(most, Words::LoadDwords<S>(x, i, left));
    const Register v = Words::Gather(static_cast<const int32_t*>(table), distance, count, left);
    Words::StoreDwords(e, i, left, v);
    three = Words::Add32(three, v);
  };
  const auto widen = [&] {
    sums = Words::Add64(sums, Words::Add64(Words::And(three, low), Words::OddsDown(three)));
    three = Words::Zero();
  };
  int64_t i = 0;
  for (; i + 3 * kDwords <= n; i += 3 * kDwords) {
    for (int64_t k = 0; k < 3; ++k) gather(i + k * kDwords, kDwords);
    widen();
  }
  for (; i < n; i += kDwords) gather(i, n - i);
  widen();
  return Words::Sum64(sums);
}

// Of bytes or words; the last register may reach back over the one before it.
template <int S>
int32_t Greatest(const typename ElementTypes<S>::Loose* x, int64_t n) {
  constexpr int64_t kCount = Words::kCount;
  if (n < kCount) return Max<S>(x, n);
  Register greatest = Words::Load<S>(x, n - kCount, kCount);
  for (int64_t i = 0; i + kCount < n; i += kCount) {
    greatest = Words::Max16(greatest, Words::Load<S>(x, i, kCount));
  }
  return Words::Greatest16(greatest);
}

template <int X>
void DenseExponentials(const ExponentialArgs& args) {
  const ExponentialArgs a = args;
  const auto row = [a](int64_t k) { return At<X>(a.x) + k * a.length; };
  for (int64_t k = 0; k < a.rows; ++k) a.greatest[k] = Greatest<X>(row(k), a.length);
  for (int64_t k = 0; k < a.rows; ++k) {
    a.sums[k] = GatherExponentials<X>(row(k), a.length, a.greatest[k], a.table, a.entries, a.e + k * a.room);
  }
}

// Dwords of e * r / 2^shift. Half a unit is a multiple of 2^32, so that only the high dwords of products matter.
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

void ScaleWords(const int32_t* e, int32_t* y, int64_t n, uint64_t r, int64_t shift, int64_t lo, int64_t hi,
                int64_t zero_out) {
  if (lo > INT32_MAX || hi < INT32_MIN || shift < 33) {
    return Scale<uint32_t>(e, y, n, r, shift, lo, hi, zero_out);
  }
  const Quotients quotients(r, shift);
  const Register least = Words::Set32(lo < INT32_MIN ? INT32_MIN : lo),
                 most = Words::Set32(hi > INT32_MAX ? INT32_MAX : hi), zero = Words::Set32(zero_out);
  for (int64_t i = 0; i < n; i += Words::kDwords) {
    Register v = Words::LoadDwords<2>(e, i, n - i);
    quotients.Scale(v);
    Words::StoreDwords(y, i, n - i, Words::Add32(Words::Min32(Words::Max32(v, least), most), zero));
  }
}

// The last step of a register of words.
struct WordClamp {
  Register lo, hi, zero_out;

  explicit WordClamp(const WordArgs& args)
      : lo(Words::Set16(args.lo)), hi(Words::Set16(args.hi)), zero_out(Words::Set16(args.zero_out)) {}

  template <int Y>
  void Store(void* y, int64_t i, int64_t left, const Register& words) const {
    Words::Store<Y>(y, i, left, Words::Add16(Words::Min16(Words::Max16(words, lo), hi), zero_out));
  }
};

template <int Y>
void DenseScale(const int32_t* e, void* y, int64_t n, uint32_t r, const WordArgs& args) {
  constexpr int64_t kCount = Words::kCount;
  const WordClamp clamp(args);
  const Quotients quotients(r, args.shift);
  const auto block = [&](int64_t i, int64_t left) {
    Register first = Words::Load(e + i), last = Words::Load(e + i + Words::kDwords);
    quotients.Scale(first);
    quotients.Scale(last);
    clamp.Store<Y>(y, i, left, Words::OrderHalves(Words::Pack(first, last)));
  };
  int64_t i = 0;
  for (; i + kCount <= n; i += kCount) block(i, kCount);
  if (i < n) block(i, n - i);
}

// Words as dwords by the product with one that has a zero beside it, those of even places and of odd ones.
template <int X, int Y>
void DenseLogarithms(const void* x, void* y, int64_t n, int32_t m, int64_t b, const WordArgs& args) {
  constexpr int64_t kCount = Words::kCount;
  const WordClamp clamp(args);
  const Register multiplier = Words::Set64(m), addend = Words::Set64(b), low = Words::Set32(1),
                 high = Words::Set32(1 << 16), shift = Words::Set32(args.shift - 32);
  const auto scale = [&](Register& v) {
    const Register even = Words::Add64(Words::MulEven(v, multiplier), addend),
                   odd = Words::Add64(Words::MulEven(Words::OddsDown(v), multiplier), addend);
    v = Words::ShiftDown32(Words::HighDwords(even, odd), shift);
  };
  const auto block = [&](int64_t i, int64_t left) {
    const Register v = Words::Load<X>(x, i, left);
    Register even = Words::MulPairs(v, low), odd = Words::MulPairs(v, high);
    scale(even);
    scale(odd);
    clamp.Store<Y>(y, i, left, Words::OrderPairs(Words::Pack(even, odd)));
  };
  int64_t i = 0;
  for (; i + kCount <= n; i += kCount) block(i, kCount);
  if (i < n) block(i, n - i);
}

#endif

}  // namespace

const NormalizationLoops kNormalizationLoops = {
    Max<2>,
#if defined(TALLY_HAS_WORDS)
    {Exponentials<0>, Exponentials<1>, GatherExponentials<2>},
    {Scale<uint64_t>, ScaleWords},
    Logarithms,
    Respond,
    RespondTo,
    {DenseExponentials<0>, DenseExponentials<1>},
    {DenseScale<0>, DenseScale<1>},
    {{DenseLogarithms<0, 0>, DenseLogarithms<0, 1>}, {DenseLogarithms<1, 0>, DenseLogarithms<1, 1>}},
#else
    {Exponentials<0>, Exponentials<1>, Exponentials<2>},
    {Scale<uint64_t>, Scale<uint32_t>},
    Logarithms,
    Respond,
    RespondTo,
    {},
    {},
    {},
#endif
};

}  // namespace tally::TALLY_ISA
