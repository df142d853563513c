#include "ops/common/folded.h"

namespace tally {
std::array<int, kMaxRank> MemoryOrder(int rank, Layout layout) {
  std::array<int, kMaxRank> order = {};
  const bool channels_last = layout == Layout::kChannelsLast && rank >= 3 && rank <= 5;
  for (int i = 0; i < rank; ++i) order[i] = !channels_last || i == 0 ? i : i + 1 == rank ? 1 : i + 1;
  return order;
}

std::array<int64_t, kMaxRank> StridesOf(const Shape& shape, Layout layout) {
  const auto order = MemoryOrder(shape.rank(), layout);
  std::array<int64_t, kMaxRank> strides = {};
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[order[i]] = stride;
    stride *= shape[order[i]];
  }
  return strides;
}

bool LayoutsAgree(const Shape& shape) {
  if (shape.rank() < 3 || shape.rank() > 5 || shape[1] == 1) return true;
  for (int axis = 2; axis < shape.rank(); ++axis) {
    if (shape[axis] != 1) return false;
  }
  return true;
}

Folded::Folded(const Shape& shape, Layout layout)
    : rank(shape.rank()), axis_of_(MemoryOrder(shape.rank(), layout)), shape_rank_(shape.rank()) {
  for (int i = 0; i < rank; ++i) dims[i] = shape[axis_of_[i]];
}

void Folded::AddLoop(int64_t dim, int64_t stride0, int64_t stride1) {
  dims[rank] = dim;
  strides[0][rank] = stride0;
  strides[1][rank] = stride1;
  ++rank;
}

void Folded::AddBroadcast(const Shape& from, Layout layout) {
  const auto own = StridesOf(from, layout);
  std::array<int64_t, kMaxRank> by_axis = {};
  for (int axis = 0; axis < from.rank(); ++axis) {
    by_axis[shape_rank_ - from.rank() + axis] = from[axis] == 1 ? 0 : own[axis];
  }
  AddStrided(by_axis);
}

void Folded::AddStrided(const std::array<int64_t, kMaxRank>& by_axis) {
  for (int i = 0; i < rank; ++i) strides[tensors][i] = by_axis[axis_of_[i]];
  ++tensors;
}

void Folded::Fold() {
  int kept = 0;
  for (int i = 0; i < rank; ++i) {
    if (dims[i] == 1) continue;
    bool merges = kept > 0;
    for (int t = 0; t < tensors; ++t) {
      merges = merges && strides[t][kept - 1] == strides[t][i] * dims[i];
    }
    const int64_t outer = merges ? dims[--kept] : 1;
    dims[kept] = outer * dims[i];
    for (int t = 0; t < tensors; ++t) strides[t][kept] = strides[t][i];
    ++kept;
  }
  if (kept == 0) {
    dims[0] = 1;
    for (int t = 0; t < tensors; ++t) strides[t][0] = 1;
    kept = 1;
  }
  rank = kept;
}

int64_t Folded::outer() const {
  int64_t outer = 1;
  for (int i = 0; i + 1 < rank; ++i) outer *= dims[i];
  return outer;
}

}  // namespace tally
