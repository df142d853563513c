// Attributes of the pooling family.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/rescale.h"
#include "base/shape.h"
#include "ops/attributes.h"
#include "ops/result_fields.h"
#include "ops/tensor_type.h"
#include "ops/window.h"

namespace tally {

struct MaxPool2dAttrs {
  std::vector<int64_t> pool_size = {1, 1};  // for H and for W
  std::vector<int64_t> strides = {1, 1};
  std::vector<int64_t> padding = {0};  // for both axes, or for H and for W
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

// The attributes of max_pool and max_pool_indices: lists with an entry for each axis after N and C.
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

// How an average becomes an integer: clamp(round((average - zero_in) * multiplier / 2^shift) + zero_out, lo,
// hi).
template <typename Attrs>
constexpr auto AverageRescaleFields() {
  constexpr Interval kI32 = RangeOf(Storage::kI32);
  return std::tuple_cat(std::tuple(IntField("zero_in", &Attrs::zero_in, kI32.lo, kI32.hi),
                                   IntField("multiplier", &Attrs::multiplier, 0, kI32.hi),
                                   IntField("shift", &Attrs::shift, 0, kMaxRescaleShift),
                                   EnumField("rounding", &Attrs::rounding, kRoundingNames)),
                        ResultFields<Attrs>());
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

// The attributes of every operator that pools regions of interest; alone those of roi_max_pool.
struct RoiAttrs {
  std::vector<int64_t> pooled_size = {1, 1};  // bins along H and along W
  int64_t fraction = 0;                       // bits of fraction of the regions
  int64_t multiplier = 1;                     // the spatial scale is multiplier / 2^shift
  int64_t shift = 0;

  static constexpr auto Fields() {
    return std::tuple(ListField("pooled_size", &RoiAttrs::pooled_size, 1, 4096, 2, 2),
                      IntField("fraction", &RoiAttrs::fraction, 0, 30),
                      IntField("multiplier", &RoiAttrs::multiplier, 1, (int64_t{1} << 31) - 1),
                      IntField("shift", &RoiAttrs::shift, 0, 30));
  }
};

// How the samples of a bin are combined. max_tap takes the largest of the weighted taps, as ONNX's and
// OpenVINO's references of "max" do.
enum class RoiAlignMode : uint8_t { kAverage, kMax, kMaxTap };
inline constexpr std::array<std::string_view, 3> kRoiAlignModeNames = {"average", "max", "max_tap"};

struct RoiAlignAttrs : RoiAttrs {
  RoiAlignMode mode = RoiAlignMode::kAverage;
  // Pixel centres are at halves; otherwise at integers, and no side is below one pixel.
  bool half_pixel = true;
  int64_t sampling_ratio = 0;  // samples of a bin along an axis; 0: one for every begun pixel of the bin
  int64_t result_fraction = 0;

  static constexpr auto Fields() {
    return std::tuple_cat(RoiAttrs::Fields(),
                          std::tuple(EnumField("mode", &RoiAlignAttrs::mode, kRoiAlignModeNames),
                                     BoolField("half_pixel", &RoiAlignAttrs::half_pixel),
                                     IntField("sampling_ratio", &RoiAlignAttrs::sampling_ratio, 0, 4096),
                                     IntField("result_fraction", &RoiAlignAttrs::result_fraction, 0, 30)));
  }
};

enum class PsroiMode : uint8_t { kAverage, kBilinear };
inline constexpr std::array<std::string_view, 2> kPsroiModeNames = {"average", "bilinear"};

struct PsroiPoolAttrs : RoiAttrs {
  PsroiMode mode = PsroiMode::kAverage;
  std::vector<int64_t> spatial_bins = {1, 1};  // along H and along W, of mode bilinear
  int64_t result_fraction = 0;

  static constexpr auto Fields() {
    return std::tuple_cat(RoiAttrs::Fields(),
                          std::tuple(EnumField("mode", &PsroiPoolAttrs::mode, kPsroiModeNames),
                                     ListField("spatial_bins", &PsroiPoolAttrs::spatial_bins, 1, 4096, 2, 2),
                                     IntField("result_fraction", &PsroiPoolAttrs::result_fraction, 0, 30)));
  }
};

struct DeformablePsroiPoolAttrs : RoiAttrs {
  std::vector<int64_t> spatial_bins = {1, 1};  // samples of a bin along H and along W
  int64_t offset_multiplier = 1;  // an offset is offset_multiplier / 2^offset_fraction sides of the region
  int64_t offset_fraction = 0;
  int64_t position_fraction = 8;  // bits of fraction to which a sample's position is rounded
  int64_t result_fraction = 0;

  static constexpr auto Fields() {
    using A = DeformablePsroiPoolAttrs;
    return std::tuple_cat(
        RoiAttrs::Fields(),
        std::tuple(ListField("spatial_bins", &A::spatial_bins, 1, 4096, 2, 2),
                   IntField("offset_multiplier", &A::offset_multiplier, 1, (int64_t{1} << 31) - 1),
                   IntField("offset_fraction", &A::offset_fraction, 0, 30),
                   IntField("position_fraction", &A::position_fraction, 0, 20),
                   IntField("result_fraction", &A::result_fraction, 0, 30)));
  }
};

}  // namespace tally
