#include "ops/normalization/cpu/dense_softmax_loops.h"

#include "ops/cpu/element.h"
#include "ops/cpu/quotients_loops.h"
#include "ops/cpu/simd_loops.h"

namespace tally::TALLY_ISA {
namespace {

#if defined(TALLY_HAS_SIMD_LANES)

constexpr int64_t kCount = Simd::kCount, k32BitLanes = Simd::k32BitLanes;

// The last register may reach back over the one before it.
template <int S>
int32_t Greatest(const typename ElementTypes<S>::Loose* x, int64_t n) {
  if (n < kCount) {
    Element<S> greatest = x[0];
    for (int64_t i = 1; i < n; ++i) greatest = x[i] > greatest ? x[i] : greatest;
    return greatest;
  }
  Register greatest = Simd::Load<S>(x, n - kCount, kCount);
  for (int64_t i = 0; i + kCount < n; i += kCount) {
    greatest = Simd::Max16(greatest, Simd::Load<S>(x, i, kCount));
  }
  return Simd::Greatest16(greatest);
}

// The last step of a register of 16-bit lanes.
struct I16Clamp {
  Register lo, hi, zero_out;

  explicit I16Clamp(const I16Args& args)
      : lo(Simd::Set16(args.lo)), hi(Simd::Set16(args.hi)), zero_out(Simd::Set16(args.zero_out)) {}

  template <int Y>
  void Store(void* y, int64_t i, int64_t left, const Register& i16) const {
    Simd::Store<Y>(y, i, left, Simd::Add16(Simd::Min16(Simd::Max16(i16, lo), hi), zero_out));
  }
};

// y = e * r / 2^shift
template <int X, int Y>
class Scaling {
 public:
  static constexpr bool kOfExponentials = true;

  explicit Scaling(const DenseSoftmaxArgs& args) : clamp_(args.i16), quotients_(0, args.i16.shift) {}

  void Begin(int64_t reciprocal) { quotients_.reciprocal = Simd::Set64(reciprocal); }

  void operator()(const int32_t* e, const void*, void* y, int64_t i, int64_t left) const {
    Register first = Simd::Load(e + i), last = Simd::Load(e + i + k32BitLanes);
    quotients_.Scale(first);
    quotients_.Scale(last);
    clamp_.template Store<Y>(y, i, left, Simd::OrderHalves(Simd::Pack(first, last)));
  }

 private:
  I16Clamp clamp_;
  Quotients quotients_;
};

// y = (x * m + b) / 2^shift. 16-bit lanes become 32-bit lanes by the product with one that has a zero beside
// it, those of even places and of odd ones.
template <int X, int Y>
class Logarithms {
 public:
  static constexpr bool kOfExponentials = false;

  explicit Logarithms(const DenseSoftmaxArgs& args)
      : clamp_(args.i16),
        multiplier_(Simd::Set64(args.multiplier)),
        shift_(Simd::Set32(args.i16.shift - 32)) {}

  void Begin(int64_t addend) { addend_ = Simd::Set64(addend); }

  void operator()(const int32_t*, const void* x, void* y, int64_t i, int64_t left) const {
    const Register v = Simd::Load<X>(x, i, left);
    Register even = Simd::MulPairs(v, Simd::Set32(1)), odd = Simd::MulPairs(v, Simd::Set32(1 << 16));
    Scale(even);
    Scale(odd);
    clamp_.template Store<Y>(y, i, left, Simd::OrderPairs(Simd::Pack(even, odd)));
  }

 private:
  void Scale(Register& v) const {
    const Register even = Simd::Add64(Simd::MulEven(v, multiplier_), addend_),
                   odd = Simd::Add64(Simd::MulEven(Simd::OddsDown(v), multiplier_), addend_);
    v = Simd::ShiftDown32(Simd::High32(even, odd), shift_);
  }

  I16Clamp clamp_;
  Register multiplier_, shift_, addend_ = Simd::Zero();
};

// Gathers the exponentials of rows. Lanes after the end of a row or of the table are masked out, which the
// compiler does not do by itself.
template <int X, bool kStored>
class Gathering {
 public:
  explicit Gathering(const DenseSoftmaxArgs& args)
      : table_(args.table), count_(Simd::Set32(args.entries)), low_(Simd::Set64(UINT32_MAX)) {}

  void Begin(int32_t greatest) {
    greatest_ = Simd::Set32(greatest);
    even_ = odd_ = Simd::Zero();
  }

  void operator()(const void* x, int32_t* e, int64_t i, int64_t left) {
    // Two exponentials have 32 bits together.
    const Register both = Simd::Add32(Half(x, e, i, left), Half(x, e, i + k32BitLanes, left - k32BitLanes));
    even_ = Simd::Add64(even_, Simd::And(both, low_));
    odd_ = Simd::Add64(odd_, Simd::OddsDown(both));
  }

  int64_t sum() const { return Simd::Sum64(Simd::Add64(even_, odd_)); }

 private:
  Register Half(const void* x, int32_t* e, int64_t i, int64_t left) const {
    const Register distance = Simd::Sub32(greatest_, Simd::Load32<X>(x, i, left));
    const Register v = Simd::Gather(table_, distance, count_, left);
    if constexpr (kStored) Simd::Store(e + i, v);
    return v;
  }

  const int32_t* table_;
  Register count_, low_, greatest_ = Simd::Zero(), even_ = greatest_, odd_ = greatest_;
};

// Calls block(i, elements left) over a row.
template <typename Block>
void ForEachBlock(int64_t n, Block block) {
  int64_t i = 0;
  for (; i + kCount <= n; i += kCount) block(i, kCount);
  if (i < n) block(i, n - i);
}

// While the exponentials of a few rows are gathered, which is a matter of loads, as many rows before them are
// finished by arithmetic: each block of those is read before the gathered one takes its place.
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
#if defined(TALLY_HAS_SIMD_LANES)
    {{Rows<0, 0, Scaling>, Rows<0, 1, Scaling>}, {Rows<1, 0, Scaling>, Rows<1, 1, Scaling>}},
    {{Rows<0, 0, Logarithms>, Rows<0, 1, Logarithms>}, {Rows<1, 0, Logarithms>, Rows<1, 1, Logarithms>}},
#else
    {},
    {},
#endif
};

}  // namespace tally::TALLY_ISA
