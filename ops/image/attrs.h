// Attributes of the image family.
#pragma once

#include <cstdint>

#include "ops/attributes.h"

namespace tally {

struct UpsamplingAttrs {
  int64_t scale = 1;

  static constexpr auto Fields() { return std::tuple(IntField("scale", &UpsamplingAttrs::scale, 1, 4096)); }
};

}  // namespace tally
