#include "ops/cpu/convert_loops.h"

#include "ops/cpu/element.h"

namespace tally::TALLY_ISA {
namespace {

template <int From, int To>
void Convert(const void* from, void* to, int64_t n) {
  const auto* x = At<From>(from);
  auto* y = At<To>(to);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<Element<To>>(x[i]);
}

template <int To>
void Fill(void* to, int64_t n, int64_t value) {
  auto* y = At<To>(to);
  const auto v = static_cast<Element<To>>(value);
  for (int64_t i = 0; i < n; ++i) y[i] = v;
}

template <int From, int To>
void Stride(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t n) {
  const auto* x = At<From>(from);
  auto* y = At<To>(to);
  for (int64_t i = 0; i < n; ++i) y[i * to_stride] = static_cast<Element<To>>(x[i * from_stride]);
}

// The conversion of kColumns columns, or of as many as the shape says.
template <int From, int To, int64_t kColumns>
void BlockOf(const void* from, const BlockShape& shape, void* to) {
  const BlockShape b = shape;  // which no store of a byte can change
  const int64_t columns = kColumns > 0 ? kColumns : b.columns;
  const auto* plane = At<From>(from);
  auto* y = At<To>(to);
  for (int64_t p = 0; p < b.planes; ++p, plane += b.plane_step) {
    const auto* x = plane;
    for (int64_t i = 0; i < b.rows; ++i, x += b.step, y += columns) {
      for (int64_t k = 0; k < columns; ++k) y[k] = static_cast<Element<To>>(x[k * b.stride]);
    }
  }
}

template <int From, int To>
void Block(const void* from, const BlockShape& shape, void* to) {
  switch (shape.columns) {
    case 2: return BlockOf<From, To, 2>(from, shape, to);
    case 3: return BlockOf<From, To, 3>(from, shape, to);
    case 4: return BlockOf<From, To, 4>(from, shape, to);
  }
  BlockOf<From, To, 0>(from, shape, to);
}

// Registers of 16 bytes, which every instruction set has.
template <int S>
struct Lanes;
template <>
struct Lanes<0> {
  typedef int8_t V __attribute__((vector_size(16)));
  static V Low(V a, V b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  }
  static V High(V a, V b) {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  }
};
template <>
struct Lanes<1> {
  typedef int16_t V __attribute__((vector_size(16)));
  static V Low(V a, V b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
  static V High(V a, V b) { return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }
};
template <>
struct Lanes<2> {
  typedef int32_t V __attribute__((vector_size(16)));
  static V Low(V a, V b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
  static V High(V a, V b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
};
template <>
struct Lanes<3> {
  typedef int64_t V __attribute__((vector_size(16)));
  static V Low(V a, V b) { return __builtin_shufflevector(a, b, 0, 2); }
  static V High(V a, V b) { return __builtin_shufflevector(a, b, 1, 3); }
};

// A square of one register's lanes a side: interleaving line i with line i + half, log2(side) times,
// transposes it.
template <int S>
void TransposeSquare(const typename ElementTypes<S>::Loose* x, int64_t from_stride,
                     typename ElementTypes<S>::Loose* y, int64_t to_stride) {
  using V = typename Lanes<S>::V;
  constexpr int kSide = 16 / sizeof(Element<S>);
  V a[kSide], b[kSide];
  for (int k = 0; k < kSide; ++k) __builtin_memcpy(&a[k], x + k * from_stride, 16);
  for (int stage = 1; stage < kSide; stage *= 2) {
    for (int k = 0; k < kSide / 2; ++k) {
      b[2 * k] = Lanes<S>::Low(a[k], a[k + kSide / 2]);
      b[2 * k + 1] = Lanes<S>::High(a[k], a[k + kSide / 2]);
    }
    for (int k = 0; k < kSide; ++k) a[k] = b[k];
  }
  for (int i = 0; i < kSide; ++i) __builtin_memcpy(y + i * to_stride, &a[i], 16);
}

template <int S>
void Transpose(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t rows,
               int64_t columns) {
  constexpr int64_t kSide = 16 / sizeof(Element<S>);
  const auto* x = At<S>(from);
  auto* y = At<S>(to);
  const int64_t whole_rows = rows / kSide * kSide, whole_columns = columns / kSide * kSide;
  for (int64_t k = 0; k < whole_columns; k += kSide) {
    for (int64_t i = 0; i < whole_rows; i += kSide) {
      TransposeSquare<S>(x + i + k * from_stride, from_stride, y + i * to_stride + k, to_stride);
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = i < whole_rows ? whole_columns : 0; k < columns; ++k) {
      y[i * to_stride + k] = x[i + k * from_stride];
    }
  }
}

// Interleaving a register with itself repeats each element twice.
template <int S>
void RepeatTwice(const void* from, void* to, int64_t n) {
  using V = typename Lanes<S>::V;
  constexpr int64_t kSide = 16 / sizeof(Element<S>);
  const auto* x = At<S>(from);
  auto* y = At<S>(to);
  int64_t i = 0;
  for (; i + kSide <= n; i += kSide) {
    V v;
    __builtin_memcpy(&v, x + i, 16);
    const V low = Lanes<S>::Low(v, v), high = Lanes<S>::High(v, v);
    __builtin_memcpy(y + 2 * i, &low, 16);
    __builtin_memcpy(y + 2 * i + kSide, &high, 16);
  }
  for (; i < n; ++i) y[2 * i] = y[2 * i + 1] = x[i];
}

template <int S>
void Repeat(const void* from, int64_t from_stride, void* to, int64_t n, int64_t times) {
  if (from_stride == 1 && times == 2) return RepeatTwice<S>(from, to, n);
  const auto* x = At<S>(from);
  auto* y = At<S>(to);
  for (int64_t i = 0; i < n; ++i) {
    const Element<S> v = x[i * from_stride];
    for (int64_t k = 0; k < times; ++k) y[i * times + k] = v;
  }
}

// Blocks of a size that is known, the last of a run over the one before it where they do not fit.
template <int64_t kBlock>
void CopyBlocks(const uint8_t* from, int64_t from_step, uint8_t* to, int64_t to_step, int64_t bytes,
                int64_t count) {
  for (; count > 0; --count, from += from_step, to += to_step) {
    for (int64_t i = 0; i + kBlock <= bytes; i += kBlock) __builtin_memcpy(to + i, from + i, kBlock);
    if (bytes % kBlock != 0) __builtin_memcpy(to + bytes - kBlock, from + bytes - kBlock, kBlock);
  }
}

void CopyRuns(const void* from_bytes, int64_t from_step, void* to_bytes, int64_t to_step, int64_t bytes,
              int64_t count) {
  const auto* from = static_cast<const uint8_t*>(from_bytes);
  auto* to = static_cast<uint8_t*>(to_bytes);
  if (bytes >= 64) return CopyBlocks<64>(from, from_step, to, to_step, bytes, count);
  if (bytes >= 32) return CopyBlocks<32>(from, from_step, to, to_step, bytes, count);
  if (bytes >= 16) return CopyBlocks<16>(from, from_step, to, to_step, bytes, count);
  if (bytes >= 8) return CopyBlocks<8>(from, from_step, to, to_step, bytes, count);
  if (bytes >= 4) return CopyBlocks<4>(from, from_step, to, to_step, bytes, count);
  CopyBlocks<1>(from, from_step, to, to_step, bytes, count);
}

}  // namespace

const ConvertLoops kConvertLoops = {
    {{Convert<0, 0>, Convert<0, 1>, Convert<0, 2>, Convert<0, 3>},
     {Convert<1, 0>, Convert<1, 1>, Convert<1, 2>, Convert<1, 3>},
     {Convert<2, 0>, Convert<2, 1>, Convert<2, 2>, Convert<2, 3>},
     {Convert<3, 0>, Convert<3, 1>, Convert<3, 2>, Convert<3, 3>}},
    {Fill<0>, Fill<1>, Fill<2>, Fill<3>},
    {{Stride<0, 0>, Stride<0, 1>, Stride<0, 2>, Stride<0, 3>},
     {Stride<1, 0>, Stride<1, 1>, Stride<1, 2>, Stride<1, 3>},
     {Stride<2, 0>, Stride<2, 1>, Stride<2, 2>, Stride<2, 3>},
     {Stride<3, 0>, Stride<3, 1>, Stride<3, 2>, Stride<3, 3>}},
    {{Block<0, 0>, Block<0, 1>, Block<0, 2>, Block<0, 3>},
     {Block<1, 0>, Block<1, 1>, Block<1, 2>, Block<1, 3>},
     {Block<2, 0>, Block<2, 1>, Block<2, 2>, Block<2, 3>},
     {Block<3, 0>, Block<3, 1>, Block<3, 2>, Block<3, 3>}},
    {Transpose<0>, Transpose<1>, Transpose<2>, Transpose<3>},
    {Repeat<0>, Repeat<1>, Repeat<2>, Repeat<3>},
    CopyRuns,
};

}  // namespace tally::TALLY_ISA
