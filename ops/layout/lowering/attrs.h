// Attributes of the lowerings of the layout family that are no operators. Axes count from the front, or from
// the back when negative.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "ops/attributes.h"
#include "ops/layout/attrs.h"

namespace tally {

inline constexpr int64_t kAnyLo = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kAnyHi = std::numeric_limits<int64_t>::max();

// The attributes of squeeze_axes, unsqueeze and reverse.
struct AxesAttrs {
  std::vector<int64_t> axes;

  static constexpr auto Fields() { return std::tuple(ListField("axes", &AxesAttrs::axes, -8, 7, 0, 8)); }
};

// The attributes of flatten_2d, stack and unstack.
struct AxisAttrs {
  int64_t axis = 0;

  static constexpr auto Fields() { return std::tuple(IntField("axis", &AxisAttrs::axis, -8, 8)); }
};

struct SwapAxesAttrs {
  int64_t first = 0;
  int64_t second = 1;

  static constexpr auto Fields() {
    return std::tuple(IntField("first", &SwapAxesAttrs::first, -8, 7),
                      IntField("second", &SwapAxesAttrs::second, -8, 7));
  }
};

// The attributes of broadcast_axes: axis i of the operand becomes axis axes[i] of the result.
struct BroadcastAxesAttrs {
  std::vector<int64_t> shape;
  std::vector<int64_t> axes;

  static constexpr auto Fields() {
    return std::tuple(
        ListField("shape", &BroadcastAxesAttrs::shape, 1, std::numeric_limits<int32_t>::max(), 0, 8),
        ListField("axes", &BroadcastAxesAttrs::axes, -8, 7, 0, 8));
  }
};

// As numpy's begin:end:step on the listed axes; empty axes are the first ones, empty steps are 1.
struct SliceAttrs {
  std::vector<int64_t> begin;
  std::vector<int64_t> end;
  std::vector<int64_t> axes;
  std::vector<int64_t> steps;

  static constexpr auto Fields() {
    return std::tuple(ListField("begin", &SliceAttrs::begin, kAnyLo, kAnyHi, 0, 8),
                      ListField("end", &SliceAttrs::end, kAnyLo, kAnyHi, 0, 8),
                      ListField("axes", &SliceAttrs::axes, -8, 7, 0, 8),
                      ListField("steps", &SliceAttrs::steps, kAnyLo, kAnyHi, 0, 8));
  }
};

// Entry j of a mask that is 1 changes what entry j of the lists means; masks may be shorter than the lists.
struct MaskedSliceAttrs {
  std::vector<int64_t> begin;
  std::vector<int64_t> end;
  std::vector<int64_t> strides;  // empty: all 1
  std::vector<int64_t> begin_mask;
  std::vector<int64_t> end_mask;
  std::vector<int64_t> new_axis_mask;
  std::vector<int64_t> shrink_axis_mask;
  std::vector<int64_t> ellipsis_mask;

  static constexpr auto Fields() {
    constexpr auto kMask = [](std::string_view name, std::vector<int64_t> MaskedSliceAttrs::*member) {
      return ListField(name, member, 0, 1, 0, 16);
    };
    return std::tuple(ListField("begin", &MaskedSliceAttrs::begin, kAnyLo, kAnyHi, 0, 16),
                      ListField("end", &MaskedSliceAttrs::end, kAnyLo, kAnyHi, 0, 16),
                      ListField("strides", &MaskedSliceAttrs::strides, kAnyLo, kAnyHi, 0, 16),
                      kMask("begin_mask", &MaskedSliceAttrs::begin_mask),
                      kMask("end_mask", &MaskedSliceAttrs::end_mask),
                      kMask("new_axis_mask", &MaskedSliceAttrs::new_axis_mask),
                      kMask("shrink_axis_mask", &MaskedSliceAttrs::shrink_axis_mask),
                      kMask("ellipsis_mask", &MaskedSliceAttrs::ellipsis_mask));
  }
};

struct CropAttrs {
  std::vector<int64_t> before;  // elements dropped in front of and after each axis
  std::vector<int64_t> after;

  static constexpr auto Fields() {
    constexpr int64_t kHi = std::numeric_limits<int32_t>::max();
    return std::tuple(ListField("before", &CropAttrs::before, 0, kHi, 0, 8),
                      ListField("after", &CropAttrs::after, 0, kHi, 0, 8));
  }
};

struct CropLikeAttrs {
  std::vector<int64_t> axes;     // cut to the dims of the second operand; empty: all
  std::vector<int64_t> offsets;  // where each cut starts; empty: 0

  static constexpr auto Fields() {
    return std::tuple(
        ListField("axes", &CropLikeAttrs::axes, -8, 7, 0, 8),
        ListField("offsets", &CropLikeAttrs::offsets, 0, std::numeric_limits<int32_t>::max(), 0, 8));
  }
};

// As PadAttrs, but a negative amount removes elements.
struct PadOrCropAttrs {
  std::vector<int64_t> before;
  std::vector<int64_t> after;
  int64_t value = 0;
  PadMode mode = PadMode::kConstant;

  static constexpr auto Fields() {
    constexpr int64_t kHi = std::numeric_limits<int32_t>::max();
    return std::tuple(ListField("before", &PadOrCropAttrs::before, -kHi, kHi, 0, 8),
                      ListField("after", &PadOrCropAttrs::after, -kHi, kHi, 0, 8),
                      IntField("value", &PadOrCropAttrs::value, -(int64_t{1} << 47), (int64_t{1} << 47) - 1),
                      EnumField("mode", &PadOrCropAttrs::mode, kPadModeNames));
  }
};

// Either `count` parts, as equal as whole elements allow, or parts of the given sizes, one of which may be
// -1.
struct SplitAttrs {
  int64_t axis = 0;
  int64_t count = 0;
  std::vector<int64_t> sizes;

  static constexpr auto Fields() {
    return std::tuple(
        IntField("axis", &SplitAttrs::axis, -8, 7), IntField("count", &SplitAttrs::count, 0, 1024),
        ListField("sizes", &SplitAttrs::sizes, -1, std::numeric_limits<int32_t>::max(), 0, 1024));
  }
};

// Which part of a channel index says where an element stands in its block.
enum class BlockMode {
  kBlocksFirst,  // the leading part: channel = place * C + c ("DCR")
  kDepthFirst,   // the trailing part: channel = c * places + place ("CRD", pixel shuffle)
};
inline constexpr std::array<std::string_view, 2> kBlockModeNames = {"blocks_first", "depth_first"};

// The attributes of space_to_depth, depth_to_space and reorg.
struct BlockAttrs {
  int64_t block = 1;
  BlockMode mode = BlockMode::kBlocksFirst;

  static constexpr auto Fields() {
    return std::tuple(IntField("block", &BlockAttrs::block, 1, std::numeric_limits<int32_t>::max()),
                      EnumField("mode", &BlockAttrs::mode, kBlockModeNames));
  }
};

struct ReorgYoloAttrs {
  int64_t stride = 1;

  static constexpr auto Fields() {
    return std::tuple(IntField("stride", &ReorgYoloAttrs::stride, 1, std::numeric_limits<int32_t>::max()));
  }
};

struct ShuffleChannelsAttrs {
  int64_t axis = 1;
  int64_t group = 1;

  static constexpr auto Fields() {
    return std::tuple(
        IntField("axis", &ShuffleChannelsAttrs::axis, -8, 7),
        IntField("group", &ShuffleChannelsAttrs::group, 1, std::numeric_limits<int32_t>::max()));
  }
};

struct SequenceRepeatAttrs {
  int64_t repetitions = 1;

  static constexpr auto Fields() {
    return std::tuple(IntField("repetitions", &SequenceRepeatAttrs::repetitions, 1, 4096));
  }
};

// The elements with lowest <= column - row <= highest stay; either bound may be absent.
struct BandAttrs {
  std::vector<int64_t> lowest;
  std::vector<int64_t> highest;

  static constexpr auto Fields() {
    constexpr int64_t kHi = std::numeric_limits<int32_t>::max();
    return std::tuple(ListField("lowest", &BandAttrs::lowest, -kHi, kHi, 0, 1),
                      ListField("highest", &BandAttrs::highest, -kHi, kHi, 0, 1));
  }
};

}  // namespace tally
