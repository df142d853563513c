// Attributes of the sort family.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "ops/attributes.h"

namespace tally {

// The attributes of sort and of arg_sort.
struct SortAttrs {
  int64_t axis = 0;
  bool descending = false;

  static constexpr auto Fields() {
    return std::tuple(IntField("axis", &SortAttrs::axis, -8, 7),
                      BoolField("descending", &SortAttrs::descending));
  }
};

enum class TopKOrder { kValue, kIndex };
inline constexpr std::array<std::string_view, 2> kTopKOrderNames = {"value", "index"};

struct TopKAttrs {
  int64_t k = 1;
  int64_t axis = 0;
  bool largest = true;
  TopKOrder order = TopKOrder::kValue;  // for the results: the best first, or as they stand in x

  static constexpr auto Fields() {
    return std::tuple(IntField("k", &TopKAttrs::k, 1, std::numeric_limits<int32_t>::max()),
                      IntField("axis", &TopKAttrs::axis, -8, 7), BoolField("largest", &TopKAttrs::largest),
                      EnumField("order", &TopKAttrs::order, kTopKOrderNames));
  }
};

struct UniqueAttrs {
  std::vector<int64_t> axis = {};  // whose slices are compared; none: the elements of the flattened data
  bool sorted = true;              // ascending; else in the order in which they first appear
  int64_t bound = 1;               // entries of the results
  int64_t value = 0;               // for entries after the last one

  static constexpr auto Fields() {
    return std::tuple(ListField("axis", &UniqueAttrs::axis, -8, 7, 0, 1),
                      BoolField("sorted", &UniqueAttrs::sorted),
                      IntField("bound", &UniqueAttrs::bound, 1, std::numeric_limits<int32_t>::max()),
                      IntField("value", &UniqueAttrs::value, -(int64_t{1} << 47), (int64_t{1} << 47) - 1));
  }
};

}  // namespace tally
