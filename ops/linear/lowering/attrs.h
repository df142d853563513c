// Attributes of the lowerings of the linear family that are no operators.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/linear/attrs.h"

namespace tally {

struct FullyConnectedAttrs {
  int64_t axis = 1;  // the first of the axes of x that a row of w reads
  int64_t zero_x = 0;
  int64_t zero_w = 0;

  static constexpr auto Fields() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    return std::tuple(IntField("axis", &FullyConnectedAttrs::axis, -kMaxRank, kMaxRank - 1),
                      IntField("zero_x", &FullyConnectedAttrs::zero_x, kI32.lo, kI32.hi),
                      IntField("zero_w", &FullyConnectedAttrs::zero_w, kI32.lo, kI32.hi));
  }
};

// Lists have an entry for each spatial axis.
struct BinaryConvolutionAttrs {
  std::vector<int64_t> stride;
  std::vector<int64_t> dilation;
  std::vector<int64_t> pad_begin;
  std::vector<int64_t> pad_end;
  bool pad_value = false;  // the bit around x: -1 when clear, 1 when set

  static constexpr auto Fields() {
    return std::tuple_cat(WindowFields<BinaryConvolutionAttrs>(kMaxSpatialAxes),
                          std::tuple(BoolField("pad_value", &BinaryConvolutionAttrs::pad_value)));
  }
};

}  // namespace tally
