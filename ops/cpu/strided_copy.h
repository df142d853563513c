// Elements from one place to another by strides: what transposes, slices, tiles and concatenations come down
// to.
#pragma once

#include <algorithm>

#include "ops/cpu/map_chunks.h"

namespace tally {

struct StridedSource {
  Storage storage;
  const uint8_t* bytes;  // for the element at index 0 of every loop
};
struct StridedTarget {
  Storage storage;
  uint8_t* bytes;
};

// Copies the share of this part. Tensor 0 of `f`, which is folded, is the target; no two of its elements
// coincide.
template <Isa isa>
void StridedCopy(const KernelCall& call, const Folded& f, StridedSource x, StridedTarget y) {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const int64_t inner = f.inner(), y_stride = f.inner_stride(0), x_stride = f.inner_stride(1);
  const int64_t y_size = SizeBytes(y.storage), x_size = SizeBytes(x.storage);
  const auto copy = [&](const StridedIterator& row, int64_t begin, int64_t end) {
    const uint8_t* from = x.bytes + (row.offset(1) + begin * x_stride) * x_size;
    uint8_t* to = y.bytes + (row.offset(0) + begin * y_stride) * y_size;
    const int64_t n = end - begin;
    if (y_stride == 1 && x_stride == 1) {
      convert.convert[CodeOf(x.storage)][CodeOf(y.storage)](from, to, n);
    } else if (y_stride == 1 && x_stride == 0) {
      convert.fill[CodeOf(y.storage)](to, n, LoadElement(x.storage, from, 0));
    } else {
      convert.stride[CodeOf(x.storage)][CodeOf(y.storage)](from, x_stride, to, y_stride, n);
    }
  };

  // Two loops at once where elements keep their storage: copy_rows(from, to, rows) along `loop`.
  const int64_t rows = f.outer();
  const auto by_line = [&](int loop, auto copy_rows) {
    Folded lines;
    for (int k = 0; k + 1 < f.rank; ++k) {
      if (k != loop) lines.AddLoop(f.dims[k], f.strides[0][k], f.strides[1][k]);
    }
    lines.AddLoop(1, 0, 0);
    const int64_t length = f.dims[loop];
    const Share share = call.ShareOf(rows);
    int64_t first = share.begin % length;
    StridedIterator line(lines, share.begin / length);
    for (int64_t at = share.begin; at < share.end; line.Next(), first = 0) {
      const int64_t n = std::min(length - first, share.end - at);
      copy_rows(x.bytes + (line.offset(1) + first * f.strides[1][loop]) * x_size,
                y.bytes + (line.offset(0) + first * f.strides[0][loop]) * y_size, n);
      at += n;
    }
  };
  if (x.storage == y.storage && y_stride == 1 && f.rank > 1 && rows >= call.parts) {
    if (x_stride == 1) {
      const auto longest = std::max_element(f.dims.begin(), f.dims.begin() + f.rank - 1);
      const int loop = static_cast<int>(longest - f.dims.begin());
      return by_line(loop, [&](const uint8_t* from, uint8_t* to, int64_t n) {
        convert.copy_runs(from, f.strides[1][loop] * x_size, to, f.strides[0][loop] * y_size, inner * y_size,
                          n);
      });
    }
    const int before = f.rank - 2;
    if (x_stride == 0 && f.strides[0][before] == inner) {
      return by_line(before, [&](const uint8_t* from, uint8_t* to, int64_t n) {
        convert.repeat[CodeOf(x.storage)](from, f.strides[1][before], to, n, inner);
      });
    }
  }

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
    StridedIterator block(blocks, share.begin / strips);
    int64_t first = share.begin % strips * kRows;
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t rows = std::min(kRows, f.dims[other] - first);
      const int64_t x_first = block.offset(1) + first;
      const int64_t y_first = block.offset(0) + first * f.strides[0][other];
      convert.transpose[CodeOf(x.storage)](x.bytes + x_first * x_size, x_stride, y.bytes + y_first * y_size,
                                           f.strides[0][other], rows, inner);
      first += kRows;
      if (first < f.dims[other]) continue;
      first = 0;
      block.Next();
    }
    return;
  }
  if (rows >= call.parts && rows > 1) {
    const Share share = call.ShareOf(rows);
    StridedIterator it(f, share.begin);
    for (int64_t row = share.begin; row < share.end; ++row, it.Next()) copy(it, 0, inner);
  } else {
    const Share share = call.ShareOf(inner, 64);
    if (share.begin == share.end) return;
    StridedIterator it(f, 0);
    for (int64_t row = 0; row < rows; ++row, it.Next()) copy(it, share.begin, share.end);
  }
}

// A copy of operand 0 into the result, which reads it from element `first` on.
struct CopyParams {
  Folded f;  // tensor 0 is the result
  int64_t first = 0;
};

template <Isa isa>
void CopyOperand(const CopyParams& p, const KernelCall& call) noexcept {
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  StridedCopy<isa>(call, p.f, {x.storage, x.bytes + p.first * SizeBytes(x.storage)}, {y.storage, y.bytes});
}

// Axis i of the result is `tiles[i]` times axis i of x, whose elements are repeated `repeats[i]` times each.
inline Folded LoopsOfRepeats(const KernelFacts& facts, const std::array<int64_t, kMaxRank>& x_dims,
                             const std::array<int64_t, kMaxRank>& x_strides,
                             const std::array<int64_t, kMaxRank>& tiles,
                             const std::array<int64_t, kMaxRank>& repeats) {
  const Shape& y = facts.results[0].shape;
  const auto y_strides = StridesOf(y, facts.layout);
  const auto order = MemoryOrder(y.rank(), facts.layout);
  Folded f;
  for (int i = 0; i < y.rank(); ++i) {
    const int axis = order[i];
    if (tiles[axis] > 1) f.AddLoop(tiles[axis], x_dims[axis] * repeats[axis] * y_strides[axis], 0);
    f.AddLoop(x_dims[axis], repeats[axis] * y_strides[axis], x_strides[axis]);
    if (repeats[axis] > 1) f.AddLoop(repeats[axis], y_strides[axis], 0);
  }
  f.Fold();
  return f;
}

inline constexpr std::array<int64_t, kMaxRank> kOnes = {1, 1, 1, 1, 1, 1, 1, 1};

// Whether no constant operand would have to be read as channels-last.
inline bool ConstantsAgree(const KernelFacts& facts) {
  if (facts.layout == Layout::kRowMajor) return true;
  for (size_t i = 0; i < facts.operands.size(); ++i) {
    if (facts.constants[i] != nullptr && !LayoutsAgree(facts.operands[i].shape)) return false;
  }
  return true;
}

}  // namespace tally
