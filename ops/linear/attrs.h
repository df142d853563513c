// Attributes of the linear family.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/attributes.h"
#include "ops/tensor_type.h"
#include "ops/window.h"

namespace tally {

struct Conv2dAttrs {
  std::vector<int64_t> padding = {0, 0};   // zeros on both sides of H and of W
  std::vector<int64_t> stride = {1, 1};    // for H and for W
  std::vector<int64_t> dilation = {1, 1};  // for KH and for KW
  int64_t groups = 1;

  static constexpr auto Fields() {
    return std::tuple(ListField("padding", &Conv2dAttrs::padding, 0, 4096, 2, 2),
                      ListField("stride", &Conv2dAttrs::stride, 1, 4096, 2, 2),
                      ListField("dilation", &Conv2dAttrs::dilation, 1, 4096, 2, 2),
                      IntField("groups", &Conv2dAttrs::groups, 1, (int64_t{1} << 31) - 1));
  }
};

struct MatmulAttrs {
  bool transpose_a = false;  // a is [..., K, M]
  bool transpose_b = false;  // b is [..., N, K]
  int64_t zero_a = 0;        // the values of a and of b that count as 0
  int64_t zero_b = 0;

  static constexpr auto Fields() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    return std::tuple(BoolField("transpose_a", &MatmulAttrs::transpose_a),
                      BoolField("transpose_b", &MatmulAttrs::transpose_b),
                      IntField("zero_a", &MatmulAttrs::zero_a, kI32.lo, kI32.hi),
                      IntField("zero_b", &MatmulAttrs::zero_b, kI32.lo, kI32.hi));
  }
};

inline constexpr int64_t kMaxSpatialAxes = 3;

template <typename Attrs>
constexpr auto GroupedFields() {
  constexpr Interval kI32 = RangeOf(Storage::kI32);
  return std::tuple(IntField("groups", &Attrs::groups, 1, kMaxDim),
                    IntField("zero_x", &Attrs::zero_x, kI32.lo, kI32.hi),
                    IntField("zero_w", &Attrs::zero_w, kI32.lo, kI32.hi));
}

// Lists have an entry for each spatial axis: those of x after N and C.
struct ConvolutionAttrs {
  std::vector<int64_t> stride;
  std::vector<int64_t> dilation;
  std::vector<int64_t> pad_begin;
  std::vector<int64_t> pad_end;
  int64_t groups = 1;
  int64_t zero_x = 0;  // the values of x and of w that count as 0; padding is 0
  int64_t zero_w = 0;

  static constexpr auto Fields() {
    return std::tuple_cat(WindowFields<ConvolutionAttrs>(kMaxSpatialAxes), GroupedFields<ConvolutionAttrs>());
  }
};

struct ConvTransposeAttrs {
  std::vector<int64_t> stride;
  std::vector<int64_t> dilation;
  std::vector<int64_t> pad_begin;  // cut off the result
  std::vector<int64_t> pad_end;
  std::vector<int64_t> output_padding;  // added to its end
  int64_t groups = 1;
  int64_t zero_x = 0;
  int64_t zero_w = 0;

  static constexpr auto Fields() {
    return std::tuple_cat(WindowFields<ConvTransposeAttrs>(kMaxSpatialAxes),
                          std::tuple(ListField("output_padding", &ConvTransposeAttrs::output_padding, 0,
                                               kMaxDim, 1, kMaxSpatialAxes)),
                          GroupedFields<ConvTransposeAttrs>());
  }
};

// The value of a tap whose position is not inside x: each of its four pixels that is outside is 0, or the
// whole sample is 0 outside [0, H) x [0, W) and inside the nearest pixels serve.
enum class DeformableBorder : uint8_t { kZeroPixels, kZeroSamples };
inline constexpr std::array<std::string_view, 2> kDeformableBorderNames = {"zero_pixels", "zero_samples"};

struct DeformableConv2dAttrs {
  std::vector<int64_t> padding = {0, 0, 0, 0};  // before H, before W, after H, after W
  std::vector<int64_t> stride = {1, 1};         // for H and for W
  std::vector<int64_t> dilation = {1, 1};       // for KH and for KW
  int64_t groups = 1;
  int64_t offset_groups = 1;
  DeformableBorder border = DeformableBorder::kZeroPixels;
  int64_t offset_fraction = 0;  // bits of fraction of the offsets
  int64_t shift = 0;            // y is the sum over 2^shift, half up

  static constexpr auto Fields() {
    using A = DeformableConv2dAttrs;
    return std::tuple(
        ListField("padding", &A::padding, 0, 4096, 4, 4), ListField("stride", &A::stride, 1, 4096, 2, 2),
        ListField("dilation", &A::dilation, 1, 4096, 2, 2),
        IntField("groups", &A::groups, 1, (int64_t{1} << 31) - 1),
        IntField("offset_groups", &A::offset_groups, 1, (int64_t{1} << 31) - 1),
        EnumField("border", &A::border, kDeformableBorderNames),
        IntField("offset_fraction", &A::offset_fraction, 0, 30), IntField("shift", &A::shift, 0, 62));
  }
};

}  // namespace tally
