// Attributes of the pooling family.
#pragma once

#include <cstdint>
#include <vector>

#include "base/shape.h"
#include "ops/attributes.h"

namespace tally {

struct MaxPool2dAttrs {
  std::vector<int64_t> pool_size = {1, 1};  // of H and of W
  std::vector<int64_t> strides = {1, 1};
  std::vector<int64_t> padding = {0};  // of both axes, or of H and of W
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

}  // namespace tally
