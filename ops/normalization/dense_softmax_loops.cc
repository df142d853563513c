#include "ops/normalization/dense_softmax_loops.h"

#include "ops/normalization/quotients_loops.h"
#include "ops/normalization/words_loops.h"
#include "ops/simd/element.h"

namespace tally::TALLY_ISA {
namespace {

#if defined(TALLY_HAS_WORDS)

constexpr int64_t kCount = Words::kCount, kDwords = Words::kDwords;

// The last register may reach back over the one before it.
template <int S>
int32_t Greatest(const typename ElementTypes<S>::Loose* x, int64_t n) {
  if (n < kCount) {
    Element<S> greatest = x[0];
    for (int64_t i = 1; i < n; ++i) greatest = x[i] > greatest ? x[i] : greatest;
    return greatest;
  }
  Register greatest = Words::Load<S>(x, n - kCount, kCount);
  for (int64_t i = 0; i + kCount < n; i += kCount) {
    greatest = Words::Max16(greatest, Words::Load<S>(x, i, kCount));
  }
  return Words::Greatest16(greatest);
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

// y = e * r / 2^shift
template <int X, int Y>
class Scaling {
 public:
  static constexpr bool kOfExponentials = true;

  explicit Scaling(const DenseSoftmaxArgs& args) : clamp_(args.words), quotients_(0, args.words.shift) {}

  void Begin(int64_t reciprocal) { quotients_.reciprocal = Words::Set64(reciprocal); }

  void operator()(const int32_t* e, const void*, void* y, int64_t i, int64_t left) const {
    Register first = Words::Load(e + i), last = Words::Load(e + i + kDwords);
    quotients_.Scale(first);
    quotients_.Scale(last);
    clamp_.template Store<Y>(y, i, left, Words::OrderHalves(Words::Pack(first, last)));
  }

 private:
  WordClamp clamp_;
  Quotients quotients_;
};

// y = (x * m + b) / 2^shift. Words become dwords by the product with one that has a zero beside it, those of even places
// and of odd ones.
template <int X, int Y>
class Logarithms {
 public:
  static constexpr bool kOfExponentials = false;

  explicit Logarithms(const DenseSoftmaxArgs& args)
      : clamp_(args.words),
        multiplier_(Words::Set64(args.multiplier)),
        shift_(Words::Set32(args.words.shift - 32)) {}

  void Begin(int64_t addend) { addend_ = Words::Set64(addend); }

  void operator()(const int32_t*, const void* x, void* y, int64_t i, int64_t left) const {
    const Register v = Words::Load<X>(x, i, left);
    Register even = Words::MulPairs(v, Words::Set32(1)), odd = Words::MulPairs(v, Words::Set32(1 << 16));
    Scale(even);
    Scale(odd);
    clamp_.template Store<Y>(y, i, left, Words::OrderPairs(Words::Pack(even, odd)));
  }

 private:
  void Scale(Register& v) const {
    const Register even = Words::Add64(Words::MulEven(v, multiplier_), addend_),
                   odd = Words::Add64(Words::MulEven(Words::OddsDown(v), multiplier_), addend_);
    v = Words::ShiftDown32(Words::HighDwords(even, odd), shift_);
  }

  WordClamp clamp_;
  Register multiplier_, shift_, addend_ = Words::Zero();
};

// Gathers the exponentials of rows. Lanes behind the end of a row or of the table are masked out, which the compiler
// does not do by itself.
template <int X, bool kStored>
class Gathering {
 public:
  explicit Gathering(const DenseSoftmaxArgs& args)
      : table_(args.table), count_(Words::Set32(args.entries)), low_(Words::Set64(UINT32_MAX)) {}

  void Begin(int32_t greatest) {
    greatest_ = Words::Set32(greatest);
    even_ = odd_ = Words::Zero();
  }

  void operator()(const void* x, int32_t* e, int64_t i, int64_t left) {
    // Two exponentials have 32 bits together.
    const Register both = Words::Add32(Half(x, e, i, left), Half(x, e, i + kDwords, left - kDwords));
    even_ = Words::Add64(even_, Words::And(both, low_));
    odd_ = Words::Add64(odd_, Words::OddsDown(both));
  }

  int64_t sum() const { return Words::Sum64(Words::Add64(even_, odd_)); }

 private:
  Register Half(const void* x, int32_t* e, int64_t i, int64_t left) const {
    const Register distance = Words::Sub32(greatest_, Words::LoadDwords<X>(x, i, left));
    const Register v = Words::Gather(table_, distance, count_, left);
    if constexpr (kStored) Words::Store(e + i, v);
    return v;
  }

  const int32_t* table_;
  Register count_, low_, greatest_ = Words::Zero(), even_ = greatest_, odd_ = greatest_;
};

// Calls block(i, elements left) over a row.
template <typename Block>
void ForEachBlock(int64_t n, Block block) {
  int64_t i = 0;
  for (; i + kCount <= n; i += kCount) block(i, kCount);
  if (i < n) block(i, n - i);
}

// While the exponentials of a few rows are gathered, which is a matter of loads, as many rows before them are finished
// by arithmetic: each block of those is read before the gathered one takes its place.
template <int X, int Y, template <int, int> typename Finish>
void Rows(const DenseSoftmaxArgs& args) {
  const DenseSoftmaxArgs a = args;
  const int64_t n = a.length, room = DenseSoftmaxArgs::RoomOf(n),
                at_once = kDenseExponentials > room ? kDenseExponentials / room : 1;
  constexpr int64_t kMostRows = kDenseExponentials / 32;
  int32_t greatest[kMostRows];
  int64_t sums[kMostRows], terms[kMostRows];
  Finish<X, Y> finish(a);
  Gathering<X, Finish<X, Y>::kOfExponentials> gather(a);
  int64_t before = 0, finishes = 0;  // the rows that have been gathered
  for (int64_t row = 0; row < a.rows || finishes > 0; row += at_once) {
    const int64_t rest = a.rows - row, gathers = rest < 0 ? 0 : rest < at_once ? rest : at_once;
    for (int64_t k = 0; k < gathers; ++k) greatest[k] = Greatest<X>(At<X>(a.x) + (row + k) * n, n);
    for (int64_t k = 0; k < gathers || k < finishes; ++k) {
      int32_t* e = a.e + k * room;
      const int64_t next = (row + k) * n, last = (before + k) * n;
      const auto gather_block = [&](int64_t i, int64_t left) { gather(At<X>(a.x) + next, e, i, left); };
      const auto finish_block = [&](int64_t i, int64_t left) {
        finish(e, At<X>(a.x) + last, At<Y>(a.y) + last, i, left);
      };
      if (k < finishes) finish.Begin(terms[k]);
      if (k >= gathers) {
        ForEachBlock(n, finish_block);
        continue;
      }
      gather.Begin(greatest[k]);
      if (k >= finishes) {
        ForEachBlock(n, gather_block);
      } else {
        ForEachBlock(n, [&](int64_t i, int64_t left) {
          finish_block(i, left);
          gather_block(i, left);
        });
      }
      sums[k] = gather.sum();
    }
    for (int64_t k = 0; k < gathers; ++k) terms[k] = a.term(a.context, sums[k], greatest[k]);
    before = row;
    finishes = gathers;
  }
}

#endif

}  // namespace

const DenseSoftmaxLoops kDenseSoftmaxLoops = {
#if defined(TALLY_HAS_WORDS)
    {{Rows<0, 0, Scaling>, Rows<0, 1, Scaling>}, {Rows<1, 0, Scaling>, Rows<1, 1, Scaling>}},
    {{Rows<0, 0, Logarithms>, Rows<0, 1, Logarithms>}, {Rows<1, 0, Logarithms>, Rows<1, 1, Logarithms>}},
#else
    {},
    {},
#endif
};

}  // namespace tally::TALLY_ISA
