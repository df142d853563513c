// The loops over the elements of a result and of the operands that meet there, with as few loops as their
// strides allow.
//
//   // y [2, 8, 5, 5] = a [2, 8, 5, 5] + b [8, 1, 1]
//   Folded f(y, layout, y_shape); f.AddBroadcast(a_shape, ..); f.AddBroadcast(b_shape, ..); f.Fold();
//   f.dims == {2, 8, 25}; f.strides[0] == {200, 25, 1}; f.strides[1] == {0, 1, 0};
#pragma once

#include <array>
#include <cstdint>

#include "ops/kernel.h"

namespace tally {

// Elements between neighbours along each axis of a dense tensor.
std::array<int64_t, kMaxRank> StridesOf(const Shape& shape, Layout layout);

// Axes from the outermost to the innermost in memory.
std::array<int, kMaxRank> MemoryOrder(int rank, Layout layout);

// Whether the bytes are the same in both layouts.
bool LayoutsAgree(const Shape& shape);

struct Folded {
  static constexpr int kMaxTensors = 5;
  static constexpr int kMaxLoops = 2 * kMaxRank;

  int rank = 0;
  int tensors = 0;
  std::array<int64_t, kMaxLoops> dims = {};
  std::array<std::array<int64_t, kMaxLoops>, kMaxTensors> strides = {};

  // Two tensors, whose loops AddLoop adds from the outermost on.
  Folded() : tensors(2) {}
  void AddLoop(int64_t dim, int64_t stride0, int64_t stride1);

  // The dims of `shape`, outermost first as `layout` has them in memory.
  Folded(const Shape& shape, Layout layout);

  // A tensor that numpy broadcasts to the shape.
  void AddBroadcast(const Shape& from, Layout layout);
  // A tensor with these strides along the axes of the shape.
  void AddStrided(const std::array<int64_t, kMaxRank>& by_axis);
  // Drops dims of 1, and merges those that one loop can run over. At least one dim remains.
  void Fold();

  int64_t inner() const { return dims[rank - 1]; }
  int64_t inner_stride(int tensor) const { return strides[tensor][rank - 1]; }
  // Makes one loop of the last two, which has the strides of the last.
  void MergeInner() {
    --rank;
    dims[rank - 1] *= dims[rank];
    for (int t = 0; t < tensors; ++t) strides[t][rank - 1] = strides[t][rank];
  }

  // Product of all dims but the last.
  int64_t outer() const;
  // First element of a tensor in inner loop number `row`.
  int64_t Offset(int tensor, int64_t row) const {
    int64_t offset = 0;
    for (int axis = rank - 2; axis >= 0; --axis) {
      offset += row % dims[axis] * strides[tensor][axis];
      row /= dims[axis];
    }
    return offset;
  }

 private:
  std::array<int, kMaxRank> axis_of_ = {};  // per dim in the shape
  int shape_rank_ = 0;
};

// Inner loops one after the other, with the first element of each: what Offset says, without its divisions.
class StridedIterator {
 public:
  StridedIterator(const Folded& f, int64_t row) : f_(f) {
    for (int t = 0; t < f.tensors; ++t) offsets_[t] = f.Offset(t, row);
    for (int loop = f.rank - 2; loop >= 0; --loop) {
      at_[loop] = row % f.dims[loop];
      row /= f.dims[loop];
    }
  }
  int64_t offset(int tensor) const { return offsets_[tensor]; }
  // The rows from here on that are at even distances.
  int64_t left() const { return f_.rank < 2 ? 1 : f_.dims[f_.rank - 2] - at_[f_.rank - 2]; }
  // Moves on by `rows`, at most `left()`.
  void Next(int64_t rows = 1) {
    for (int loop = f_.rank - 2; loop >= 0; --loop, rows = 1) {
      at_[loop] += rows;
      const bool wraps = at_[loop] == f_.dims[loop];
      const int64_t steps = wraps ? rows - f_.dims[loop] : rows;
      for (int t = 0; t < f_.tensors; ++t) offsets_[t] += steps * f_.strides[t][loop];
      if (!wraps) return;
      at_[loop] = 0;
    }
  }

 private:
  const Folded& f_;
  std::array<int64_t, Folded::kMaxLoops> at_ = {};
  std::array<int64_t, Folded::kMaxTensors> offsets_ = {};
};

}  // namespace tally
