// Attributes of the reduction family.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/shape.h"
#include "ops/attributes.h"

namespace tally {

// The attributes of sum and max, as CVM has them.
struct CvmReduceAttrs {
  std::vector<int64_t> axis = {};  // in [-rank, rank); empty for all axes
  bool keepdims = false;
  bool exclude = false;  // reduce the axes that are not listed

  static constexpr auto Fields() {
    return std::tuple(ListField("axis", &CvmReduceAttrs::axis, -kMaxRank, kMaxRank - 1, 0, kMaxRank),
                      BoolField("keepdims", &CvmReduceAttrs::keepdims),
                      BoolField("exclude", &CvmReduceAttrs::exclude));
  }
};

enum class ReduceKind { kSum, kMax, kMin, kProduct };
inline constexpr std::array<std::string_view, 4> kReduceKindNames = {"sum", "max", "min", "product"};

struct ReduceAttrs {
  ReduceKind kind = ReduceKind::kSum;
  std::vector<int64_t> axes = {};  // in [-rank, rank); empty for all axes
  bool keepdims = false;

  static constexpr auto Fields() {
    return std::tuple(EnumField("kind", &ReduceAttrs::kind, kReduceKindNames),
                      ListField("axes", &ReduceAttrs::axes, -kMaxRank, kMaxRank - 1, 0, kMaxRank),
                      BoolField("keepdims", &ReduceAttrs::keepdims));
  }
};

enum class Extreme { kMax, kMin };
inline constexpr std::array<std::string_view, 2> kExtremeNames = {"max", "min"};

enum class Ties { kLowest, kHighest };  // the position that wins among equal elements
inline constexpr std::array<std::string_view, 2> kTiesNames = {"lowest", "highest"};

struct ArgExtremeAttrs {
  Extreme kind = Extreme::kMax;
  Ties ties = Ties::kLowest;
  int64_t axis = 0;  // in [-rank, rank)
  bool keepdims = false;

  static constexpr auto Fields() {
    return std::tuple(EnumField("kind", &ArgExtremeAttrs::kind, kExtremeNames),
                      EnumField("ties", &ArgExtremeAttrs::ties, kTiesNames),
                      IntField("axis", &ArgExtremeAttrs::axis, -kMaxRank, kMaxRank - 1),
                      BoolField("keepdims", &ArgExtremeAttrs::keepdims));
  }
};

struct CumulativeSumAttrs {
  int64_t axis = 0;        // in [-rank, rank)
  bool exclusive = false;  // an element is not part of its own sum
  bool reverse = false;    // sum from the end of the axis

  static constexpr auto Fields() {
    return std::tuple(IntField("axis", &CumulativeSumAttrs::axis, -kMaxRank, kMaxRank - 1),
                      BoolField("exclusive", &CumulativeSumAttrs::exclusive),
                      BoolField("reverse", &CumulativeSumAttrs::reverse));
  }
};

}  // namespace tally
