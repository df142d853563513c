// Attributes of the lowerings of the gather family that are no operators.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "ops/attributes.h"
#include "ops/gather/attrs.h"

namespace tally {

struct OneHotAttrs {
  int64_t depth = 1;
  int64_t axis = -1;       // for the new axis in the result
  bool from_back = false;  // whether negative indices count from the back

  static constexpr auto Fields() {
    return std::tuple(IntField("depth", &OneHotAttrs::depth, 1, std::numeric_limits<int32_t>::max()),
                      IntField("axis", &OneHotAttrs::axis, -8, 7),
                      BoolField("from_back", &OneHotAttrs::from_back));
  }
};

struct CompressAttrs {
  std::vector<int64_t> axis;  // none: of the flattened data
  int64_t bound = 1;
  int64_t value = 0;

  static constexpr auto Fields() {
    return std::tuple(ListField("axis", &CompressAttrs::axis, -8, 7, 0, 1),
                      IntField("bound", &CompressAttrs::bound, 1, std::numeric_limits<int32_t>::max()),
                      IntField("value", &CompressAttrs::value, -(int64_t{1} << 47), (int64_t{1} << 47) - 1));
  }
};

struct NonzeroAttrs {
  int64_t bound = 1;
  int64_t value = -1;

  static constexpr auto Fields() {
    return std::tuple(IntField("bound", &NonzeroAttrs::bound, 1, std::numeric_limits<int32_t>::max()),
                      IntField("value", &NonzeroAttrs::value, -(int64_t{1} << 47), (int64_t{1} << 47) - 1));
  }
};

struct DynamicSliceAttrs {
  int64_t axis = 0;
  int64_t size = 1;

  static constexpr auto Fields() {
    return std::tuple(IntField("axis", &DynamicSliceAttrs::axis, -8, 7),
                      IntField("size", &DynamicSliceAttrs::size, 1, std::numeric_limits<int32_t>::max()));
  }
};

}  // namespace tally
