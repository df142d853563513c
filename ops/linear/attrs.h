// Attributes of the linear family.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/attributes.h"

namespace tally {

struct Conv2dAttrs {
  std::vector<int64_t> padding = {0, 0};   // zeros on both sides of H and of W
  std::vector<int64_t> stride = {1, 1};    // of H and of W
  std::vector<int64_t> dilation = {1, 1};  // of KH and of KW
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

  static constexpr auto Fields() {
    return std::tuple(BoolField("transpose_a", &MatmulAttrs::transpose_a),
                      BoolField("transpose_b", &MatmulAttrs::transpose_b));
  }
};

}  // namespace tally
