// Attributes of the gather family.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "ops/attributes.h"

namespace tally {

struct TakeAttrs {
  std::vector<int64_t> axis;  // none: indices go into the flattened data

  static constexpr auto Fields() { return std::tuple(ListField("axis", &TakeAttrs::axis, -8, 7, 0, 1)); }
};

// The attributes of gather and of gather_elements.
struct GatherAttrs {
  int64_t axis = 0;

  static constexpr auto Fields() { return std::tuple(IntField("axis", &GatherAttrs::axis, -8, 7)); }
};

struct GatherNdAttrs {
  int64_t batch_dims = 0;  // leading axes that data and indices share

  static constexpr auto Fields() {
    return std::tuple(IntField("batch_dims", &GatherNdAttrs::batch_dims, 0, 7));
  }
};

// The effect of an update on the element at its position.
enum class ScatterKind { kUpdate, kAdd, kSub, kMul, kMax, kMin };
inline constexpr std::array<std::string_view, 6> kScatterKindNames = {"update", "add", "sub",
                                                                      "mul",    "max", "min"};

// The attributes of scatter and of scatter_elements.
struct ScatterAttrs {
  int64_t axis = 0;
  ScatterKind kind = ScatterKind::kUpdate;

  static constexpr auto Fields() {
    return std::tuple(IntField("axis", &ScatterAttrs::axis, -8, 7),
                      EnumField("kind", &ScatterAttrs::kind, kScatterKindNames));
  }
};

struct ScatterNdAttrs {
  ScatterKind kind = ScatterKind::kUpdate;

  static constexpr auto Fields() {
    return std::tuple(EnumField("kind", &ScatterNdAttrs::kind, kScatterKindNames));
  }
};

struct CompactAttrs {
  int64_t axis = 0;
  int64_t bound = 1;  // slices of the result
  int64_t value = 0;  // for slices after the last one that is kept

  static constexpr auto Fields() {
    return std::tuple(IntField("axis", &CompactAttrs::axis, -8, 7),
                      IntField("bound", &CompactAttrs::bound, 1, std::numeric_limits<int32_t>::max()),
                      IntField("value", &CompactAttrs::value, -(int64_t{1} << 47), (int64_t{1} << 47) - 1));
  }
};

}  // namespace tally
