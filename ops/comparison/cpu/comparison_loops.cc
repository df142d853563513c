#include "ops/comparison/cpu/comparison_loops.h"

#include "ops/cpu/element.h"

namespace tally::TALLY_ISA {
namespace {

// The numbers of Comparison in ops/comparison/attrs.h.
enum ComparisonCode { kEqual = 0, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

template <int kCode, int S>
void Compare(const void* a_bytes, const void* b_bytes, int8_t* y, int64_t n) {
  const auto *a = At<S>(a_bytes), *b = At<S>(b_bytes);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const Element<S> p = a[i], q = b[i];
    y[i] = kCode == kEqual       ? p == q
           : kCode == kNotEqual  ? p != q
           : kCode == kLess      ? p < q
           : kCode == kLessEqual ? p <= q
           : kCode == kGreater   ? p > q
                                 : p >= q;
  }
}

template <int S>
void IsTrue(const void* x_bytes, int8_t* y, int64_t n) {
  const auto* x = At<S>(x_bytes);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] != 0;
}

template <int S>
void Select(const int8_t* condition, const void* x_bytes, const void* y_bytes, void* r_bytes, int64_t n) {
  const auto *x = At<S>(x_bytes), *y = At<S>(y_bytes);
  auto* r = At<S>(r_bytes);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const Element<S> p = x[i], q = y[i];
    r[i] = condition[i] != 0 ? p : q;
  }
}

#define ALL_STORAGES(Code) \
  { Compare<Code, 0>, Compare<Code, 1>, Compare<Code, 2>, Compare<Code, 3> }

}  // namespace

const ComparisonLoops kComparisonLoops = {
    {ALL_STORAGES(kEqual), ALL_STORAGES(kNotEqual), ALL_STORAGES(kLess), ALL_STORAGES(kLessEqual),
     ALL_STORAGES(kGreater), ALL_STORAGES(kGreaterEqual)},
    {IsTrue<0>, IsTrue<1>, IsTrue<2>, IsTrue<3>},
    {Select<0>, Select<1>, Select<2>, Select<3>},
};

}  // namespace tally::TALLY_ISA
