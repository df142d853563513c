// Lines of a tensor as keys that sort as their elements do: no two keys of a line are equal, so that every
// sort of them is stable.
#pragma once

#include <algorithm>
#include <bit>

#include "ops/cpu/map_chunks.h"
#include "ops/cpu/scratch.h"
#include "ops/sort/cpu/sort_loops.h"

namespace tally::sort {

// x as [outer, n, inner], a line for each outer and inner.
struct Lines {
  int64_t n, inner, count;

  Lines(const Shape& x, int64_t axis) {
    const int a = static_cast<int>(axis < 0 ? axis + x.rank() : axis);
    n = x[a];
    inner = x.stride(a);
    count = x.num_elements() / n;
  }
  // Element 0 of a line in a tensor whose lines have m elements.
  int64_t First(int64_t line, int64_t m) const { return line / inner * m * inner + line % inner; }
};

inline int BitsOf(uint64_t greatest) { return static_cast<int>(std::bit_width(greatest)); }

inline int DistanceBits(const Interval& x) { return BitsOf(x.Width()); }

// A distance is an int64_t first.
inline bool FitsKeys(const Interval& x, int64_t n) {
  const int bits = DistanceBits(x);
  return bits < 64 && bits + BitsOf(static_cast<uint64_t>(n - 1)) <= 64;
}

inline KeyArgs KeysOf(const Interval& x, int64_t n, int64_t stride, bool descending) {
  return {.stride = stride,
          .origin = descending ? x.hi : x.lo,
          .descending = descending,
          .position_bits = BitsOf(static_cast<uint64_t>(n - 1)),
          .first = 0};
}

inline constexpr int64_t kFewKeys = 256;  // that a comparison sort is faster for

// Sorts n keys by the bits in [begin, end), byte by byte from the lowest on, each stable; `other` has room
// for as many. Bytes that are the same in all keys are skipped.
inline void SortByBits(uint64_t* keys, uint64_t* other, int64_t n, int begin, int end) {
  uint64_t *from = keys, *to = other;
  for (int shift = begin; shift < end; shift += 8) {
    const uint64_t mask = (uint64_t{1} << std::min(8, end - shift)) - 1;
    std::array<int64_t, 256> next = {};
    for (int64_t i = 0; i < n; ++i) ++next[from[i] >> shift & mask];
    if (next[from[0] >> shift & mask] == n) continue;
    int64_t before = 0;
    for (int64_t& count : next) before += std::exchange(count, before);
    for (int64_t i = 0; i < n; ++i) to[next[from[i] >> shift & mask]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys) std::copy(from, from + n, keys);
}

// Sorts n keys with distinct positions in ascending order of position.
inline void SortKeys(uint64_t* keys, uint64_t* other, int64_t n, int position_bits, int distance_bits) {
  if (n < kFewKeys) return std::sort(keys, keys + n);
  SortByBits(keys, other, n, position_bits, position_bits + distance_bits);
}

// Sorts n keys with distinct positions, which may stand in any order: by distance, and by position where that
// is the same.
inline void SortShuffledKeys(uint64_t* keys, uint64_t* other, int64_t n, int position_bits,
                             int distance_bits) {
  if (n < kFewKeys) return std::sort(keys, keys + n);
  SortByBits(keys, other, n, 0, position_bits + distance_bits);
}

// Sorts n sorted keys by position.
inline void SortPositions(uint64_t* keys, uint64_t* other, int64_t n, int position_bits) {
  if (n >= kFewKeys) return SortByBits(keys, other, n, 0, position_bits);
  const uint64_t mask = (uint64_t{1} << position_bits) - 1;
  std::sort(keys, keys + n, [mask](uint64_t p, uint64_t q) { return (p & mask) < (q & mask); });
}

// result[first + i * stride] = what the loop reads of n keys.
template <Isa isa, typename Read>
void WriteKeys(Read read, const uint64_t* keys, int64_t n, const KeyArgs& args, const KernelResult& y,
               int64_t first, int64_t stride) {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  ChunkBuffer buffer;
  for (int64_t at = 0; at < n; at += kChunk) {
    const int64_t count = std::min(kChunk, n - at);
    read(keys + at, count, args, reinterpret_cast<int64_t*>(buffer.bytes));
    uint8_t* to = y.bytes + (first + at * stride) * SizeBytes(y.storage);
    if (stride == 1) {
      convert.convert[CodeOf(Storage::kI64)][CodeOf(y.storage)](buffer.bytes, to, count);
    } else {
      convert.stride[CodeOf(Storage::kI64)][CodeOf(y.storage)](buffer.bytes, 1, to, stride, count);
    }
  }
}

}  // namespace tally::sort
