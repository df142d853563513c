// Attributes of the pooling family.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rescale.h"
#include "base/shape.h"
#include "ops/attributes.h"
#include "ops/tensor_type.h"
#include "ops/window.h"

namespace tally {

struct MaxPool2dAttrs {
  std::vector<int64_t> pool_size = {1, 1};  // of H and of W
  std::vector<int64_t> strides = {1, 1};
  std::vector<int64_t> padding = {0};  // of both axes, or of H and of W
  bool ceil_mode = false;              // a window that starts inside the input but ends outside counts

  static constexpr auto Fields() {
    return std::tuple(ListField("pool_size", &MaxPool2dAttrs::pool_size, 1, kMaxDim, 2, 2),
                      ListField("strides", &MaxPool2dAttrs::strides, 1, 4096, 2, 2),
                      ListField("padding", &MaxPool2dAttrs::padding, 0, 4096, 1, 2),
                      BoolField("ceil_mode", &MaxPool2dAttrs::ceil_mode));
  }

  // Padding of H (i = 0) or of W (i = 1).
  int64_t padding_of(int i) const { return padding[padding.size() == 1 ? 0 : i]; }
};

inline constexpr int64_t kMaxPoolAxes = 3;

// Of max_pool and max_pool_indices: lists with an entry for each axis behind N and C.
struct PoolAttrs {
  std::vector<int64_t> kernel;  // taps of a window
  std::vector<int64_t> stride;
  std::vector<int64_t> dilation;
  std::vector<int64_t> pad_begin;
  std::vector<int64_t> pad_end;
  bool ceil_mode = false;  // a window that starts inside but ends outside counts

  static constexpr auto Fields() {
    return std::tuple_cat(std::tuple(ListField("kernel", &PoolAttrs::kernel, 1, kMaxDim, 1, kMaxPoolAxes)),
                          WindowFields<PoolAttrs>(kMaxPoolAxes),
                          std::tuple(BoolField("ceil_mode", &PoolAttrs::ceil_mode)));
  }
};

// Lists with an entry for each axis of x.
struct WindowSumAttrs {
  std::vector<int64_t> kernel;
  std::vector<int64_t> stride;
  std::vector<int64_t> dilation;
  std::vector<int64_t> pad_begin;
  std::vector<int64_t> pad_end;
  int64_t zero = 0;  // the value of x that counts as 0

  static constexpr auto Fields() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    return std::tuple_cat(std::tuple(ListField("kernel", &WindowSumAttrs::kernel, 1, kMaxDim, 1, kMaxRank)),
                          WindowFields<WindowSumAttrs>(kMaxRank),
                          std::tuple(IntField("zero", &WindowSumAttrs::zero, kI32.lo, kI32.hi)));
  }
};

// How an average becomes an integer: clamp(round((average - zero_in) * multiplier / 2^shift) + zero_out, lo, hi).
template <typename Attrs>
constexpr auto AverageRescaleFields() {
  constexpr Interval kI32 = RangeOf(Storage::kI32);
  constexpr Interval kElement = TensorLimit(Profile::kCore);
  return std::tuple(IntField("zero_in", &Attrs::zero_in, kI32.lo, kI32.hi),
                    IntField("multiplier", &Attrs::multiplier, 0, kI32.hi),
                    IntField("shift", &Attrs::shift, 0, kMaxRescaleShift),
                    EnumField("rounding", &Attrs::rounding, kRoundingNames),
                    IntField("zero_out", &Attrs::zero_out, kI32.lo, kI32.hi),
                    IntField("lo", &Attrs::lo, kElement.lo, kElement.hi),
                    IntField("hi", &Attrs::hi, kElement.lo, kElement.hi));
}

// PoolAttrs, and what becomes of the sum.
struct AveragePoolAttrs {
  std::vector<int64_t> kernel;
  std::vector<int64_t> stride;
  std::vector<int64_t> dilation;
  std::vector<int64_t> pad_begin;
  std::vector<int64_t> pad_end;
  bool ceil_mode = false;
  bool count_include_pad = false;  // divide by the taps inside the padded axes, else by those inside x
  int64_t zero_in = 0;
  int64_t multiplier = 1;
  int64_t shift = 0;
  Rounding rounding = Rounding::kHalfAway;
  int64_t zero_out = 0;
  int64_t lo = TensorLimit(Profile::kCore).lo;
  int64_t hi = TensorLimit(Profile::kCore).hi;

  static constexpr auto Fields() {
    return std::tuple_cat(
        std::tuple(ListField("kernel", &AveragePoolAttrs::kernel, 1, kMaxDim, 1, kMaxPoolAxes)),
        WindowFields<AveragePoolAttrs>(kMaxPoolAxes),
        std::tuple(BoolField("ceil_mode", &AveragePoolAttrs::ceil_mode),
                   BoolField("count_include_pad", &AveragePoolAttrs::count_include_pad)),
        AverageRescaleFields<AveragePoolAttrs>());
  }
};

}  // namespace tally
