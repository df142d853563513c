#include "ops/pooling/pooling_loops.h"

#include "ops/simd/element.h"

namespace tally::TALLY_ISA {
namespace {

// 64 bytes of y stay in registers while the rows pass; what is left goes row by row.
template <int S>
void MaxRows(const void* const* rows, int count, void* y_bytes, int64_t n, bool first) {
  typedef Element<S> Block __attribute__((vector_size(64)));
  constexpr int64_t kLanes = 64 / sizeof(Element<S>);
  auto* y = At<S>(y_bytes);
  int64_t start = 0;
  for (; start + kLanes <= n; start += kLanes) {
    Block best, x;
    __builtin_memcpy(&best, first ? At<S>(rows[0]) + start : y + start, 64);
    for (int k = first ? 1 : 0; k < count; ++k) {
      __builtin_memcpy(&x, At<S>(rows[k]) + start, 64);
      best = x > best ? x : best;
    }
    __builtin_memcpy(y + start, &best, 64);
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

// The maximum of a window at 64 bytes of its channels. kColumns: how many they are, or 0.
template <int S, int kColumns>
void MaxPlacesOf(const PlacesArgs& args, void* y_bytes) {
  typedef Element<S> Block __attribute__((vector_size(64)));
  constexpr int64_t kLanes = 64 / sizeof(Element<S>);
  const PlacesArgs a = args;
  const int64_t columns = kColumns == 0 ? a.columns : kColumns, n = a.channels;
  auto* y = At<S>(y_bytes);
  for (int64_t p = 0; p < a.places; ++p, y += n) {
    const int64_t from = p * a.place_step;
    int64_t start = 0;
    for (; start + kLanes <= n; start += kLanes) {
      const int64_t first = from + start * static_cast<int64_t>(sizeof(Element<S>));
      Block best, x;
      __builtin_memcpy(&best, a.rows[0] + first, 64);
      for (int k = 0; k < a.count; ++k) {
        const uint8_t* row = a.rows[k] + first;
        for (int64_t c = 0; c < columns; ++c) {
          __builtin_memcpy(&x, row + c * a.column_step, 64);
          best = x > best ? x : best;
        }
      }
      __builtin_memcpy(y + start, &best, 64);
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
void MaxPlaces(const PlacesArgs& args, void* y) {
  if (args.columns == 3) return MaxPlacesOf<S, 3>(args, y);
  if (args.columns == 2) return MaxPlacesOf<S, 2>(args, y);
  MaxPlacesOf<S, 0>(args, y);
}

// Row by row: y stays in the first-level cache.
template <int S, int A>
void AddRows(const void* const* rows, int count, void* y_bytes, int64_t start, int64_t n, bool first) {
  using T = UnsignedElement<A>;
  auto* y = At<A>(y_bytes);
  for (int k = 0; k < count; ++k) {
    const auto* x = At<S>(rows[k]);
    if (first && k == 0) {
      TALLY_SIMD
      for (int64_t i = start; i < n; ++i) y[i] = static_cast<Element<A>>(x[i]);
    } else {
      TALLY_SIMD
      for (int64_t i = start; i < n; ++i) {
        y[i] = static_cast<Element<A>>(static_cast<T>(y[i]) + static_cast<T>(x[i]));
      }
    }
  }
}

template <int S, int A>
void SumRows(const void* const* rows, int count, void* y, int64_t n, bool first) {
  AddRows<S, A>(rows, count, y, 0, n, first);
}

// Sums of up to 256 bytes have 16 bits: they stay in a register while the rows pass.
template <>
void SumRows<0, 2>(const void* const* rows, int count, void* y_bytes, int64_t n, bool first) {
  constexpr int64_t kLanes = 32;
  typedef int8_t Bytes __attribute__((vector_size(kLanes)));
  typedef int16_t Halves __attribute__((vector_size(2 * kLanes)));
  typedef int32_t Words __attribute__((vector_size(4 * kLanes)));
  auto* y = At<2>(y_bytes);
  int64_t start = 0;
  for (; start + kLanes <= n; start += kLanes) {
    Halves sums = {};
    for (int k = 0; k < count; ++k) {
      Bytes x;
      __builtin_memcpy(&x, At<0>(rows[k]) + start, sizeof(x));
      sums += __builtin_convertvector(x, Halves);
    }
    Words all = __builtin_convertvector(sums, Words), before;
    if (!first) {
      __builtin_memcpy(&before, y + start, sizeof(before));
      all += before;
    }
    __builtin_memcpy(y + start, &all, sizeof(all));
  }
  AddRows<0, 2>(rows, count, y_bytes, start, n, first);
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

// kWords: S and the multiplier have 32 bits, as every dividend and the magic number do: products of words are cheaper.
template <int A, bool kWords>
void AverageBy(const void* sums_bytes, int64_t* y, int64_t n, const AverageArgs& args) {
  using Factor = Element<kWords ? 2 : 3>;
  const auto* sums = At<A>(sums_bytes);
  const AverageArgs a = args;
  const auto multiplier = static_cast<Factor>(a.multiplier);
  const auto magic = static_cast<uint32_t>(a.magic);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const auto sum = static_cast<Factor>(sums[i] + static_cast<Factor>(a.bias));
    const int64_t product = int64_t{sum} * multiplier;
    const int64_t dividend = ((product + a.half - (product < 0 ? a.away : 0)) >> a.shift) + a.offset;
    const uint64_t scaled = uint64_t{static_cast<uint32_t>(dividend)} * magic;
    const int64_t v = static_cast<int64_t>(scaled >> a.magic_shift) + a.quotient_offset;
    const int64_t raised = v < a.lo ? a.lo : v;
    y[i] = raised > a.hi ? a.hi : raised;
  }
}

template <int A>
void Average(const void* sums, int64_t* y, int64_t n, const AverageArgs& args) {
  args.words ? AverageBy<A, true>(sums, y, n, args) : AverageBy<A, false>(sums, y, n, args);
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
    {MaxPlaces<0>, MaxPlaces<1>, MaxPlaces<2>, MaxPlaces<3>},
    {MaxRows<0>, MaxRows<1>, MaxRows<2>, MaxRows<3>},
    {{SumRows<0, 2>, SumRows<0, 3>},
     {SumRows<1, 2>, SumRows<1, 3>},
     {SumRows<2, 2>, SumRows<2, 3>},
     {SumRows<3, 2>, SumRows<3, 3>}},
    {MaxColumns<0>, MaxColumns<1>, MaxColumns<2>, MaxColumns<3>},
    {Lead<0>, Lead<1>, Lead<2>, Lead<3>},
    {SumColumns<2>, SumColumns<3>},
    {Average<2>, Average<3>},
};

}  // namespace tally::TALLY_ISA
