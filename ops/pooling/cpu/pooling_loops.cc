#include "ops/pooling/cpu/pooling_loops.h"

#include "ops/cpu/element.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace tally::TALLY_ISA {
namespace {

// Bytes of y that are found together. Of wider vectors than its registers GCC makes poor code for AVX2, and
// good one for SSE2.
#if defined(__AVX2__) && !defined(__AVX512BW__)
constexpr int kMaxBytes = 32;
#else
constexpr int kMaxBytes = 64;
#endif

// A block of y stays in registers while the rows pass; what is left goes row by row.
template <int S>
void MaxRows(const void* const* rows, int count, void* y_bytes, int64_t n, bool first) {
  typedef Element<S> Block __attribute__((vector_size(kMaxBytes)));
  constexpr int64_t kLanes = kMaxBytes / sizeof(Element<S>);
  auto* y = At<S>(y_bytes);
  int64_t start = 0;
  for (; start + kLanes <= n; start += kLanes) {
    Block best, x;
    __builtin_memcpy(&best, first ? At<S>(rows[0]) + start : y + start, kMaxBytes);
    for (int k = first ? 1 : 0; k < count; ++k) {
      __builtin_memcpy(&x, At<S>(rows[k]) + start, kMaxBytes);
      best = x > best ? x : best;
    }
    __builtin_memcpy(y + start, &best, kMaxBytes);
  }
  for (int k = 0; k < count && start < n; ++k) {
    const auto* x = At<S>(rows[k]);
    if (first && k == 0) {
      TALLY_SIMD
      for (int64_t i = start; i < n; ++i) y[i] = x[i];
    } else {
      TALLY_SIMD
      for (int64_t i = start; i < n; ++i) {
        const Element<S> a = x[i], b = y[i];
        y[i] = a > b ? a : b;
      }
    }
  }
}

// The maximum of a window at a block of its channels. kColumns: how many they are, or 0.
template <int S, int kColumns>
void MaxPositionsOf(const PositionsArgs& args, void* y_bytes) {
  typedef Element<S> Block __attribute__((vector_size(kMaxBytes)));
  constexpr int64_t kLanes = kMaxBytes / sizeof(Element<S>);
  const PositionsArgs a = args;
  const int64_t columns = kColumns == 0 ? a.columns : kColumns, n = a.channels;
  auto* y = At<S>(y_bytes);
  for (int64_t p = 0; p < a.places; ++p, y += n) {
    const int64_t from = p * a.position_step;
    int64_t start = 0;
    for (; start + kLanes <= n; start += kLanes) {
      const int64_t first = from + start * static_cast<int64_t>(sizeof(Element<S>));
      Block best, x;
      __builtin_memcpy(&best, a.rows[0] + first, kMaxBytes);
      for (int k = 0; k < a.count; ++k) {
        const uint8_t* row = a.rows[k] + first;
        for (int64_t c = 0; c < columns; ++c) {
          __builtin_memcpy(&x, row + c * a.column_step, kMaxBytes);
          best = x > best ? x : best;
        }
      }
      __builtin_memcpy(y + start, &best, kMaxBytes);
    }
    if (start == n) continue;
    const auto* corner = At<S>(a.rows[0] + from);
    for (int64_t i = start; i < n; ++i) y[i] = corner[i];
    for (int k = 0; k < a.count; ++k) {
      for (int64_t c = 0; c < columns; ++c) {
        const auto* x = At<S>(a.rows[k] + from + c * a.column_step);
        TALLY_SIMD
        for (int64_t i = start; i < n; ++i) y[i] = x[i] > y[i] ? x[i] : y[i];
      }
    }
  }
}

template <int S>
void MaxPositions(const PositionsArgs& args, void* y) {
  if (args.columns == 3) return MaxPositionsOf<S, 3>(args, y);
  if (args.columns == 2) return MaxPositionsOf<S, 2>(args, y);
  MaxPositionsOf<S, 0>(args, y);
}

// A register of sums, and what is added to it.
template <int A>
struct Sums {
#if defined(__AVX512BW__)
  static constexpr int kBytes = 64;
#elif defined(__AVX2__)
  static constexpr int kBytes = 32;
#else
  static constexpr int kBytes = 16;
#endif
  typedef UnsignedElement<A> Block __attribute__((vector_size(kBytes)));
  static constexpr int64_t kLanes = kBytes / sizeof(UnsignedElement<A>);
};

template <int S, int A>
inline void AddTo(typename Sums<A>::Block& sums, const void* x_bytes) {
#if defined(__AVX512BW__)
  if constexpr (S == 0 && A == 1) {  // one instruction, which the compiler makes four of
    sums += (typename Sums<A>::Block)_mm512_cvtepi8_epi16(
        _mm256_loadu_si256(static_cast<const __m256i_u*>(x_bytes)));
    return;
  }
#endif
  typedef Element<S> From __attribute__((vector_size(Sums<A>::kLanes * sizeof(Element<S>))));
  From x;
  __builtin_memcpy(&x, x_bytes, sizeof(x));
  sums += __builtin_convertvector(x, typename Sums<A>::Block);
}

// Two blocks of sums stay in registers while the rows pass; what is left goes row by row.
template <int S, int A>
void SumRows(const void* const* rows, int count, void* y_bytes, int64_t n, bool first) {
  using T = UnsignedElement<A>;
  using Block = typename Sums<A>::Block;
  constexpr int64_t kLanes = Sums<A>::kLanes;
  auto* y = At<A>(y_bytes);
  int64_t start = 0;
  for (; start + 2 * kLanes <= n; start += 2 * kLanes) {
    Block low = {}, high = {};
    if (!first) {
      __builtin_memcpy(&low, y + start, sizeof(low));
      __builtin_memcpy(&high, y + start + kLanes, sizeof(high));
    }
    for (int k = 0; k < count; ++k) {
      const auto* x = At<S>(rows[k]) + start;
      AddTo<S, A>(low, x);
      AddTo<S, A>(high, x + kLanes);
    }
    __builtin_memcpy(y + start, &low, sizeof(low));
    __builtin_memcpy(y + start + kLanes, &high, sizeof(high));
  }
  for (int k = 0; k < count && start < n; ++k) {
    const auto* x = At<S>(rows[k]);
    if (first && k == 0) {
      TALLY_SIMD
      for (int64_t i = start; i < n; ++i) y[i] = static_cast<Element<A>>(x[i]);
    } else {
      TALLY_SIMD
      for (int64_t i = start; i < n; ++i) {
        y[i] = static_cast<Element<A>>(static_cast<T>(static_cast<T>(y[i]) + static_cast<T>(x[i])));
      }
    }
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

template <int A, int Y>
void Average(const void* sums_bytes, void* y_bytes, int64_t n, const AverageArgs& args) {
  const auto* sums = At<A>(sums_bytes);
  auto* y = At<Y>(y_bytes);
  const AverageArgs a = args;
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const int64_t sum = sums[i] - a.bias;
    const int64_t scaled = (sum * a.multiplier + a.addend - (sum < 0 ? a.tie : 0)) >> a.shift;
    const int32_t v = static_cast<int32_t>(scaled) + a.zero_out, raised = v < a.lo ? a.lo : v;
    y[i] = static_cast<Element<Y>>(raised > a.hi ? a.hi : raised);
  }
}

template <int Y>
void NarrowAverage(const void* sums_bytes, void* y_bytes, int64_t n, const NarrowAverageArgs& args) {
  const auto* sums = At<1>(sums_bytes);
  auto* y = At<Y>(y_bytes);
  const NarrowAverageArgs a = args;
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const int16_t sum = sums[i];
    const auto dividend = static_cast<uint16_t>(sum + a.addend - (sum < a.bias ? a.tie : 0));
    const uint32_t product = uint32_t{dividend} * uint32_t{a.magic};
    const auto quotient = static_cast<uint16_t>(product >> 16);
    const auto v = static_cast<int16_t>(quotient + a.offset), raised = v < a.lo ? a.lo : v;
    y[i] = static_cast<Element<Y>>(raised > a.hi ? a.hi : raised);
  }
}

template <int S>
void Lead(const void* bytes, int64_t stride, int64_t* best, int64_t* positions, int64_t n, int64_t position,
          int64_t step) {
  const auto* x = At<S>(bytes);
  const auto run = [&](int64_t x_step) {
    TALLY_SIMD
    for (int64_t i = 0; i < n; ++i) {
      const int64_t v = x[i * x_step], before = best[i], at = positions[i];
      positions[i] = v > before ? position + i * step : at;
      best[i] = v > before ? v : before;
    }
  };
  stride == 1 ? run(1) : stride == 2 ? run(2) : run(stride);
}

}  // namespace

const PoolingLoops kPoolingLoops = {
    {MaxPositions<0>, MaxPositions<1>, MaxPositions<2>, MaxPositions<3>},
    {MaxRows<0>, MaxRows<1>, MaxRows<2>, MaxRows<3>},
    {{nullptr, SumRows<0, 1>, SumRows<0, 2>, SumRows<0, 3>},
     {nullptr, SumRows<1, 1>, SumRows<1, 2>, SumRows<1, 3>},
     {nullptr, nullptr, SumRows<2, 2>, SumRows<2, 3>},
     {nullptr, nullptr, nullptr, SumRows<3, 3>}},
    {MaxColumns<0>, MaxColumns<1>, MaxColumns<2>, MaxColumns<3>},
    {Lead<0>, Lead<1>, Lead<2>, Lead<3>},
    {nullptr, SumColumns<1>, SumColumns<2>, SumColumns<3>},
    {{}, {Average<1, 0>, Average<1, 1>, Average<1, 2>}, {Average<2, 0>, Average<2, 1>, Average<2, 2>}},
    {NarrowAverage<0>, NarrowAverage<1>},
};

}  // namespace tally::TALLY_ISA
