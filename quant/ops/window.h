// Windows over images, for convolutions and pools.
#pragma once

#include <cstdint>
#include <string_view>

#include "quant/ops/op_traits.h"

namespace tally::quant {

struct Extent2d {
  int64_t y = 1;
  int64_t x = 1;
  bool operator==(const Extent2d&) const = default;
};

struct Padding2d {
  int64_t top = 0;
  int64_t left = 0;
  int64_t bottom = 0;
  int64_t right = 0;
  bool operator==(const Padding2d&) const = default;
};

// x is [N, C, H, W], strides and pads are in range. `op` is the name for messages.
absl::Status CheckWindow(std::string_view op, const Shape& x, const Extent2d& stride, const Padding2d& pad);

// [N, channels, OH, OW]; graph_shape where no window fits.
TypeResult WindowResult(std::string_view op, const Shape& x, int64_t channels, const Extent2d& window,
                        const Extent2d& stride, const Padding2d& pad);

}  // namespace tally::quant
