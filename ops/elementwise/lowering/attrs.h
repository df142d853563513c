// Attributes of the lowerings of the elementwise family that are no operators.
#pragma once

#include "ops/attributes.h"

namespace tally {

// The attributes of the logical shifts: the width of the machine word that they shift.
struct WordAttrs {
  int64_t bits = 32;

  static constexpr auto Fields() { return std::tuple(IntField("bits", &WordAttrs::bits, 1, 47)); }
};

}  // namespace tally
