// Attributes of the layout family. Axes count from the front, or from the back when negative; ranks end at 8.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "ops/attributes.h"

namespace tally {

struct ReshapeAttrs {
  std::vector<int64_t> shape;  // the result's, every dim concrete

  static constexpr auto Fields() {
    return std::tuple(ListField("shape", &ReshapeAttrs::shape, 1, std::numeric_limits<int32_t>::max(), 0, 8));
  }
};

struct ExpandDimsAttrs {
  int64_t axis = 0;  // for the first new dim in the result; -1 is after the last dim
  int64_t num_newaxis = 1;

  static constexpr auto Fields() {
    return std::tuple(IntField("axis", &ExpandDimsAttrs::axis, -9, 8),
                      IntField("num_newaxis", &ExpandDimsAttrs::num_newaxis, 1, 4096));
  }
};

struct SqueezeAttrs {
  std::vector<int64_t> axis;  // empty: every axis whose dim is 1

  static constexpr auto Fields() { return std::tuple(ListField("axis", &SqueezeAttrs::axis, -8, 7, 0, 8)); }
};

struct TransposeAttrs {
  std::vector<int64_t> axes;  // axes[i] is the operand's axis that becomes axis i; empty: all in reverse

  static constexpr auto Fields() { return std::tuple(ListField("axes", &TransposeAttrs::axes, -8, 7, 0, 8)); }
};

struct ConcatenateAttrs {
  int64_t axis = 0;

  static constexpr auto Fields() { return std::tuple(IntField("axis", &ConcatenateAttrs::axis, -8, 7)); }
};

struct RepeatAttrs {
  int64_t repeats = 1;
  int64_t axis = 0;

  static constexpr auto Fields() {
    return std::tuple(IntField("repeats", &RepeatAttrs::repeats, 1, std::numeric_limits<int32_t>::max()),
                      IntField("axis", &RepeatAttrs::axis, -8, 7));
  }
};

struct TileAttrs {
  std::vector<int64_t> reps;  // right-aligned with the operand's axes

  static constexpr auto Fields() { return std::tuple(ListField("reps", &TileAttrs::reps, 1, 4096, 1, 8)); }
};

// Lists shorter than the rank leave the last axes at their defaults: from 0 to the dim in steps of 1.
struct StridedSliceAttrs {
  std::vector<int64_t> begin;
  std::vector<int64_t> end;
  std::vector<int64_t> stride;

  static constexpr auto Fields() {
    constexpr int64_t kLo = std::numeric_limits<int32_t>::min(), kHi = std::numeric_limits<int32_t>::max();
    return std::tuple(ListField("begin", &StridedSliceAttrs::begin, kLo, kHi, 0, 8),
                      ListField("end", &StridedSliceAttrs::end, kLo, kHi, 0, 8),
                      ListField("stride", &StridedSliceAttrs::stride, kLo, kHi, 0, 8));
  }
};

struct SliceLikeAttrs {
  std::vector<int64_t> axis;  // axes cut to the second operand's dims; empty: all

  static constexpr auto Fields() { return std::tuple(ListField("axis", &SliceLikeAttrs::axis, -8, 7, 0, 8)); }
};

// The elements outside of a padded axis of elements a b c, whose nearest element is at the right:
enum class PadMode {
  kConstant,   // v v v v
  kEdge,       // a a a a
  kReflect,    // a b c b: the edge is not repeated
  kSymmetric,  // c c b a: it is
  kWrap,       // c a b c
};
inline constexpr std::array<std::string_view, 5> kPadModeNames = {"constant", "edge", "reflect", "symmetric",
                                                                  "wrap"};

struct PadAttrs {
  std::vector<int64_t> before;  // elements added before and after each axis
  std::vector<int64_t> after;
  int64_t value = 0;  // per added element, in mode constant
  PadMode mode = PadMode::kConstant;

  static constexpr auto Fields() {
    return std::tuple(ListField("before", &PadAttrs::before, 0, std::numeric_limits<int32_t>::max(), 0, 8),
                      ListField("after", &PadAttrs::after, 0, std::numeric_limits<int32_t>::max(), 0, 8),
                      IntField("value", &PadAttrs::value, -(int64_t{1} << 47), (int64_t{1} << 47) - 1),
                      EnumField("mode", &PadAttrs::mode, kPadModeNames));
  }
};

struct BroadcastToAttrs {
  std::vector<int64_t> shape;  // the result's

  static constexpr auto Fields() {
    return std::tuple(
        ListField("shape", &BroadcastToAttrs::shape, 1, std::numeric_limits<int32_t>::max(), 0, 8));
  }
};

struct ReverseSequenceAttrs {
  int64_t batch_axis = 0;
  int64_t seq_axis = 1;

  static constexpr auto Fields() {
    return std::tuple(IntField("batch_axis", &ReverseSequenceAttrs::batch_axis, -8, 7),
                      IntField("seq_axis", &ReverseSequenceAttrs::seq_axis, -8, 7));
  }
};

struct IotaAttrs {
  std::vector<int64_t> shape;  // the result's
  int64_t axis = 0;            // along which it grows
  int64_t start = 0;
  int64_t step = 1;

  static constexpr auto Fields() {
    constexpr int64_t kLo = -(int64_t{1} << 47), kHi = (int64_t{1} << 47) - 1;
    return std::tuple(ListField("shape", &IotaAttrs::shape, 1, std::numeric_limits<int32_t>::max(), 0, 8),
                      IntField("axis", &IotaAttrs::axis, -8, 7),
                      IntField("start", &IotaAttrs::start, kLo, kHi),
                      IntField("step", &IotaAttrs::step, kLo, kHi));
  }
};

struct FillAttrs {
  std::vector<int64_t> shape;  // the result's
  int64_t value = 0;

  static constexpr auto Fields() {
    return std::tuple(ListField("shape", &FillAttrs::shape, 1, std::numeric_limits<int32_t>::max(), 0, 8),
                      IntField("value", &FillAttrs::value, -(int64_t{1} << 47), (int64_t{1} << 47) - 1));
  }
};

}  // namespace tally
