// The general GEMM with 64-bit accumulators: for sums that need more than 32 bits where the weights are no
// constant.
//
//   y[row][column] = start(row) + the sum over k of factor(row, k) * column(k, column), modulo 2^64
//
// A block of a few columns is gathered for a stretch of k, and every row of the block is multiplied with it,
// so that working memory does not grow with the shape.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/interval.h"
#include "ops/cpu/map_chunks.h"
#include "ops/cpu/scratch.h"
#include "ops/linear/cpu/linear_loops.h"

namespace tally {

inline constexpr int64_t kBlockRows = 64;    // a block's
inline constexpr int64_t kBlockDepth = 128;  // gathered at once

struct GemmBuffers {
  ScratchLayout scratch;
  int64_t* columns;  // [kBlockDepth][kBlockColumns]
  int64_t* factors;  // [4][kBlockDepth]
  int64_t* sums;     // [kBlockRows][kBlockColumns]

  static constexpr int64_t kFactorRows = 4;
  explicit GemmBuffers(uint8_t* first)
      : scratch(first),
        columns(scratch.Take<int64_t>(kBlockDepth * kBlockColumns)),
        factors(scratch.Take<int64_t>(kFactorRows * kBlockDepth)),
        sums(scratch.Take<int64_t>(kBlockRows * kBlockColumns)) {}
};

// Adds to the sums of a block what `terms` has:
//   void Columns(int64_t begin, int64_t end, int64_t* to);               // k in [begin, end), kBlockColumns apart
//   void Factors(int64_t row, int64_t begin, int64_t end, int64_t* to);  // those of `row`, side by side
// `width` is how many columns the block has; `narrow`: all of both fit 32 bits.
template <Isa isa, typename Terms>
void AccumulateBlock(const GemmBuffers& at, Terms& terms, int64_t rows, int64_t width, int64_t depth,
                     bool narrow) {
  const LinearLoops& loops = GetLinearLoops<isa>();
  for (int64_t begin = 0; begin < depth; begin += kBlockDepth) {
    const int64_t end = std::min(depth, begin + kBlockDepth);
    terms.Columns(begin, end, at.columns);
    for (int64_t row = 0; row < rows; row += GemmBuffers::kFactorRows) {
      const int64_t count = std::min(GemmBuffers::kFactorRows, rows - row);
      for (int64_t i = 0; i < count; ++i) terms.Factors(row + i, begin, end, at.factors + i * kBlockDepth);
      loops.add_products[narrow](at.factors, kBlockDepth, count, at.columns, width, end - begin,
                                 at.sums + row * kBlockColumns);
    }
  }
}

// `count` elements of x from element `first` on, `step` apart, less `zero`, to `to_step` apart.
template <Isa isa>
void GatherLess(const KernelOperand& x, int64_t first, int64_t step, int64_t zero, int64_t count, int64_t* to,
                int64_t to_step) {
  if (count <= 0) return;
  const uint8_t* from = x.bytes + first * SizeBytes(x.storage);
  GetConvertLoops<isa>().stride[CodeOf(x.storage)][CodeOf(Storage::kI64)](from, step, to, to_step, count);
  if (zero == 0) return;
  for (int64_t i = 0; i < count; ++i) to[i * to_step] -= zero;
}

// Whether elements in `x` fit 32 bits less `zero`, as 0 does, which is outside of x.
inline bool FitsI32(const Interval& x, int64_t zero) {
  constexpr Interval kWord = RangeOf(Storage::kI32);
  return kWord.Contains(x) && kWord.Contains(Interval{x.lo - zero, x.hi - zero});
}

}  // namespace tally
