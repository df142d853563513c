#include "ops/pooling/pooling_loops.h"

#include "ops/simd/element.h"

namespace tally::TALLY_ISA {
namespace {

// Blocks of 64 bytes or more stay in registers while the rows pass.
template <int S>
void MaxRows(const void* const* rows, int count, void* y_bytes, int64_t n, bool first) {
  using T = Element<S>;
  constexpr int64_t kBlock = 128 / sizeof(T);
  auto* y = At<S>(y_bytes);
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    T best[kBlock];
    const auto* start = first ? At<S>(rows[0]) + i : y + i;
    for (int64_t j = 0; j < kBlock; ++j) best[j] = start[j];
    for (int k = first ? 1 : 0; k < count; ++k) {
      const auto* x = At<S>(rows[k]) + i;
      for (int64_t j = 0; j < kBlock; ++j) best[j] = x[j] > best[j] ? T(x[j]) : best[j];
    }
    for (int64_t j = 0; j < kBlock; ++j) y[i + j] = best[j];
  }
  for (int k = 0; k < count; ++k) {
    const auto* x = At<S>(rows[k]);
    for (int64_t j = i; j < n; ++j) y[j] = (first && k == 0) || x[j] > y[j] ? x[j] : y[j];
  }
}

template <int S, int A>
void SumRows(const void* const* rows, int count, void* y_bytes, int64_t n, bool first) {
  using T = UnsignedElement<A>;
  constexpr int64_t kBlock = 128 / sizeof(T);
  auto* y = At<A>(y_bytes);
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    T sum[kBlock];
    for (int64_t j = 0; j < kBlock; ++j) sum[j] = first ? T{0} : static_cast<T>(y[i + j]);
    for (int k = 0; k < count; ++k) {
      const auto* x = At<S>(rows[k]) + i;
      for (int64_t j = 0; j < kBlock; ++j) sum[j] += static_cast<T>(x[j]);
    }
    for (int64_t j = 0; j < kBlock; ++j) y[i + j] = static_cast<Element<A>>(sum[j]);
  }
  for (; i < n; ++i) {
    T sum = first ? T{0} : static_cast<T>(y[i]);
    for (int k = 0; k < count; ++k) sum += static_cast<T>(At<S>(rows[k])[i]);
    y[i] = static_cast<Element<A>>(sum);
  }
}

template <int S>
void MaxColumns(const void* x_bytes, int64_t stride, void* y_bytes, int64_t n) {
  const auto* x = At<S>(x_bytes);
  auto* y = At<S>(y_bytes);
  if (stride == 1) {
    TALLY_SIMD
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] > y[i] ? x[i] : y[i];
  } else if (stride == 2) {
    TALLY_SIMD
    for (int64_t i = 0; i < n; ++i) y[i] = x[i * 2] > y[i] ? x[i * 2] : y[i];
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i * stride] > y[i] ? x[i * stride] : y[i];
  }
}

template <int A>
void SumColumns(const void* x_bytes, int64_t stride, void* y_bytes, int64_t n) {
  using T = UnsignedElement<A>;
  const auto* x = At<A>(x_bytes);
  auto* y = At<A>(y_bytes);
  if (stride == 1) {
    TALLY_SIMD
    for (int64_t i = 0; i < n; ++i)
      y[i] = static_cast<Element<A>>(static_cast<T>(y[i]) + static_cast<T>(x[i]));
  } else {
    TALLY_SIMD
    for (int64_t i = 0; i < n; ++i) {
      y[i] = static_cast<Element<A>>(static_cast<T>(y[i]) + static_cast<T>(x[i * stride]));
    }
  }
}

void Average(const int64_t* sums_bytes, int64_t* y_bytes, int64_t n, const AverageArgs& args) {
  const auto* sums = At<3>(sums_bytes);
  auto* y = At<3>(y_bytes);
  const AverageArgs a = args;
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const int64_t product = (sums[i] + a.bias) * a.multiplier;
    const int64_t dividend = ((product + a.half - (product < 0 ? a.away : 0)) >> a.shift) + a.offset;
    const int64_t v = (dividend * a.magic >> a.magic_shift) + a.quotient_offset;
    const int64_t raised = v < a.lo ? a.lo : v;
    y[i] = raised > a.hi ? a.hi : raised;
  }
}

}  // namespace

const PoolingLoops kPoolingLoops = {
    {MaxRows<0>, MaxRows<1>, MaxRows<2>, MaxRows<3>},
    {{SumRows<0, 2>, SumRows<0, 3>},
     {SumRows<1, 2>, SumRows<1, 3>},
     {SumRows<2, 2>, SumRows<2, 3>},
     {SumRows<3, 2>, SumRows<3, 3>}},
    {MaxColumns<0>, MaxColumns<1>, MaxColumns<2>, MaxColumns<3>},
    {SumColumns<2>, SumColumns<3>},
    Average,
};

}  // namespace tally::TALLY_ISA
