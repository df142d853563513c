// The elements that a strided_slice takes from one axis.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/int_math.h"
#include "ops/layout/attrs.h"

namespace tally {

// Indices begin, begin + stride, ... of an axis: `length` of them, 0 or less when the slice is empty.
struct AxisSlice {
  int64_t begin = 0;
  int64_t stride = 1;
  int64_t length = 0;
};

// The slice of `axis`, of dim `n`. Entries of the lists are in the int32 range and strides are not 0.
inline AxisSlice SliceOfAxis(const StridedSliceAttrs& attrs, int axis, int64_t n) {
  const auto entry = [&](const auto& list, int64_t otherwise) {
    return axis < std::ssize(list) ? list[axis] : otherwise;
  };
  const int64_t stride = entry(attrs.stride, 1);
  // A negative index counts from the back, once; then both ends go to the nearest place where the walk can
  // stop: one after the last element for a walk upward, one before the first for a walk downward.
  const auto clamp = [&](int64_t i) {
    const int64_t from_front = i < 0 ? i + n : i;
    return stride > 0 ? std::clamp<int64_t>(from_front, 0, n) : std::clamp<int64_t>(from_front, -1, n - 1);
  };
  const int64_t begin = clamp(entry(attrs.begin, 0));
  const int64_t end = clamp(entry(attrs.end, n));
  const int64_t length = stride > 0 ? CeilDiv(end - begin, stride) : CeilDiv(begin - end, -stride);
  return {begin, stride, length};
}

}  // namespace tally
