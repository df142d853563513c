// Elements from one place to another by strides: what transposes, slices, tiles and concatenations come down to.
#pragma once

#include <algorithm>

#include "ops/simd/map_chunks.h"

namespace tally {

struct StridedSource {
  Storage storage;
  const uint8_t* bytes;  // of the element at index 0 of every loop
};
struct StridedTarget {
  Storage storage;
  uint8_t* bytes;
};

// Copies the share of this part. Tensor 0 of `f`, which is folded, is the target; no two of its elements coincide.
template <Isa isa>
void StridedCopy(const KernelCall& call, const Folded& f, StridedSource x, StridedTarget y) {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const int64_t inner = f.inner(), y_stride = f.inner_stride(0), x_stride = f.inner_stride(1);
  const int64_t y_size = SizeBytes(y.storage), x_size = SizeBytes(x.storage);
  const auto copy = [&](int64_t row, int64_t begin, int64_t end) {
    const uint8_t* from = x.bytes + (f.Offset(1, row) + begin * x_stride) * x_size;
    uint8_t* to = y.bytes + (f.Offset(0, row) + begin * y_stride) * y_size;
    const int64_t n = end - begin;
    if (y_stride == 1 && x_stride == 1) {
      convert.convert[CodeOf(x.storage)][CodeOf(y.storage)](from, to, n);
    } else if (y_stride == 1 && x_stride == 0) {
      convert.fill[CodeOf(y.storage)](to, n, LoadElement(x.storage, from, 0));
    } else {
      convert.stride[CodeOf(x.storage)][CodeOf(y.storage)](from, x_stride, to, y_stride, n);
    }
  };

  // A loop in which x advances by one, while y does in the inner loop, makes blocks to be transposed.
  int other = f.rank - 2;
  while (other >= 0 && f.strides[1][other] != 1) --other;
  if (x.storage == y.storage && y_stride == 1 && x_stride != 1 && x_stride != 0 && other >= 0) {
    constexpr int64_t kRows = 64;
    Folded blocks;
    for (int loop = 0; loop + 1 < f.rank; ++loop) {
      if (loop != other) blocks.AddLoop(f.dims[loop], f.strides[0][loop], f.strides[1][loop]);
    }
    blocks.AddLoop(1, 0, 0);
    const int64_t strips = (f.dims[other] + kRows - 1) / kRows;
    const Share share = call.ShareOf(blocks.outer() * strips);
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t block = item / strips, first = item % strips * kRows;
      const int64_t rows = std::min(kRows, f.dims[other] - first);
      const int64_t x_first = blocks.Offset(1, block) + first;
      const int64_t y_first = blocks.Offset(0, block) + first * f.strides[0][other];
      convert.transpose[CodeOf(x.storage)](x.bytes + x_first * x_size, x_stride, y.bytes + y_first * y_size,
                                           f.strides[0][other], rows, inner);
    }
    return;
  }
  const int64_t rows = f.outer();
  if (rows >= call.parts && rows > 1) {
    const Share share = call.ShareOf(rows);
    for (int64_t row = share.begin; row < share.end; ++row) copy(row, 0, inner);
  } else {
    const Share share = call.ShareOf(inner, 64);
    if (share.begin == share.end) return;
    for (int64_t row = 0; row < rows; ++row) copy(row, share.begin, share.end);
  }
}

// Whether no constant operand would have to be read as channels-last.
inline bool ConstantsAgree(const KernelFacts& facts) {
  if (facts.layout == Layout::kRowMajor) return true;
  for (size_t i = 0; i < facts.operands.size(); ++i) {
    if (facts.constants[i] != nullptr && !LayoutsAgree(facts.operands[i].shape)) return false;
  }
  return true;
}

}  // namespace tally
