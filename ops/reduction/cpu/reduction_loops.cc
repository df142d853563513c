#include "ops/reduction/cpu/reduction_loops.h"

#include "ops/cpu/element.h"

namespace tally::TALLY_ISA {
namespace {

// The numbers of ReduceKind in ops/reduction/attrs.h.
enum Kind { kSum = 0, kMax, kMin, kProduct };

template <int S>
int64_t Sum(const void* x_bytes, int64_t n) {
  const auto* x = At<S>(x_bytes);
  uint64_t sum = 0;
  if constexpr (S < 2) {
    // 2^15 elements of 16 bits fit 32.
    constexpr int64_t kBlock = 1 << 15;
    for (int64_t start = 0; start < n; start += kBlock) {
      const int64_t end = start + kBlock < n ? start + kBlock : n;
      int32_t part = 0;
      for (int64_t i = start; i < end; ++i) part += x[i];
      sum += static_cast<uint64_t>(int64_t{part});
    }
  } else {
    for (int64_t i = 0; i < n; ++i) sum += static_cast<uint64_t>(int64_t{x[i]});
  }
  return static_cast<int64_t>(sum);
}

template <int S, bool kLeast>
int64_t Extreme(const void* x_bytes, int64_t n) {
  const auto* x = At<S>(x_bytes);
  Element<S> best = x[0];
  for (int64_t i = 1; i < n; ++i) {
    const Element<S> v = x[i];
    best = (kLeast ? v < best : v > best) ? v : best;
  }
  return best;
}

template <int S>
int64_t Product(const void* x_bytes, int64_t n) {
  const auto* x = At<S>(x_bytes);
  uint64_t product = 1;
  for (int64_t i = 0; i < n; ++i) product *= static_cast<uint64_t>(int64_t{x[i]});
  return static_cast<int64_t>(product);
}

template <Kind kKind, int S>
void Accumulate(const void* x_bytes, void* y_bytes, int64_t n) {
  using T = Element<S>;
  const auto* x = At<S>(x_bytes);
  auto* y = At<S>(y_bytes);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const T a = y[i], b = x[i];
    switch (kKind) {
      case kSum: y[i] = static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); break;
      case kMax: y[i] = b > a ? b : a; break;
      case kMin: y[i] = b < a ? b : a; break;
      case kProduct: y[i] = static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); break;
    }
  }
}

template <int S, int T>
void Add(const void* x_bytes, void* y_bytes, int64_t n) {
  using U = UnsignedElement<T>;
  const auto* x = At<S>(x_bytes);
  auto* y = At<T>(y_bytes);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    y[i] = static_cast<Element<T>>(static_cast<U>(static_cast<U>(y[i]) + static_cast<U>(x[i])));
  }
}

template <int S, bool kLast>
int64_t Find(const void* x_bytes, int64_t n, int64_t value) {
  const auto* x = At<S>(x_bytes);
  const auto wanted = static_cast<Element<S>>(value);
  constexpr int64_t kBlock = 256;
  const auto has = [&](int64_t begin, int64_t end) {
    int found = 0;
    for (int64_t i = begin; i < end; ++i) found |= x[i] == wanted;
    return found != 0;
  };
  if (kLast) {
    int64_t end = n;
    while (end > kBlock && !has(end - kBlock, end)) end -= kBlock;
    while (x[end - 1] != wanted) --end;
    return end - 1;
  }
  int64_t begin = 0;
  while (begin + kBlock < n && !has(begin, begin + kBlock)) begin += kBlock;
  while (x[begin] != wanted) ++begin;
  return begin;
}

template <int S, bool kTies, bool kLeast>
void Lead(const void* x_bytes, void* best_bytes, int32_t* index, int64_t n, int32_t k) {
  using T = Element<S>;
  const auto* x = At<S>(x_bytes);
  auto* best = At<S>(best_bytes);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const T a = x[i], b = best[i];
    const bool wins = kTies ? (kLeast ? a <= b : a >= b) : (kLeast ? a < b : a > b);
    best[i] = wins ? a : b;
    index[i] = wins ? k : index[i];
  }
}

#define ALL_STORAGES(Fn) \
  { Fn<0>, Fn<1>, Fn<2>, Fn<3> }
#define ALL_STORAGES_OF(Kind) \
  { Accumulate<Kind, 0>, Accumulate<Kind, 1>, Accumulate<Kind, 2>, Accumulate<Kind, 3> }
#define LEADS(S)                                                                                 \
  {                                                                                              \
    {Lead<S, false, false>, Lead<S, false, true>}, { Lead<S, true, false>, Lead<S, true, true> } \
  }

}  // namespace

const ReductionLoops kReductionLoops = {
    {ALL_STORAGES(Sum),
     {Extreme<0, false>, Extreme<1, false>, Extreme<2, false>, Extreme<3, false>},
     {Extreme<0, true>, Extreme<1, true>, Extreme<2, true>, Extreme<3, true>},
     ALL_STORAGES(Product)},
    {ALL_STORAGES_OF(kSum), ALL_STORAGES_OF(kMax), ALL_STORAGES_OF(kMin), ALL_STORAGES_OF(kProduct)},
    {{Add<0, 0>, Add<0, 1>, Add<0, 2>, Add<0, 3>},
     {Add<1, 0>, Add<1, 1>, Add<1, 2>, Add<1, 3>},
     {Add<2, 0>, Add<2, 1>, Add<2, 2>, Add<2, 3>},
     {Add<3, 0>, Add<3, 1>, Add<3, 2>, Add<3, 3>}},
    {{Find<0, false>, Find<0, true>},
     {Find<1, false>, Find<1, true>},
     {Find<2, false>, Find<2, true>},
     {Find<3, false>, Find<3, true>}},
    {LEADS(0), LEADS(1), LEADS(2), LEADS(3)},
};

}  // namespace tally::TALLY_ISA
