// Windows over images [N, C, H, W] and volumes [N, C, D, H, W], for convolutions and pools.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "quant/ops/op_traits.h"

namespace tally::quant {

// A number for H, for W, and for D, which images leave as it is.
struct Extents {
  int64_t y = 1;
  int64_t x = 1;
  int64_t z = 1;
  bool operator==(const Extents&) const = default;
};

struct Pads {
  int64_t top = 0;
  int64_t left = 0;
  int64_t bottom = 0;
  int64_t right = 0;
  int64_t front = 0;
  int64_t back = 0;
  bool operator==(const Pads&) const = default;
};

// The spatial sizes of an image, whose D is 1, or a volume, or of a weight.
Extents SpatialSize(const Shape& shape);
// [N, channels, (D,) H, W], with D where `like` has it.
Shape WithSize(const Shape& like, int64_t channels, const Extents& size);

// As attributes of operators have them: a list with an entry for each spatial axis of a value of `rank`, D
// first.
std::vector<int64_t> ListOf(const Extents& extents, size_t rank);
std::vector<int64_t> BeginsOf(const Pads& pads, size_t rank);
std::vector<int64_t> EndsOf(const Pads& pads, size_t rank);

// x is an image or a volume, strides, dilations and pads are in range, and along D neutral where x is an
// image. `op` is the name for messages.
absl::Status CheckWindow(std::string_view op, const Shape& x, const Extents& stride, const Extents& dilation,
                         const Pads& pad);

// How many elements windows of `kernel` taps reach over.
Extents ReachOf(const Extents& kernel, const Extents& dilation);

// The shape of a result with `channels`; graph_shape where no window of `reach` fits.
TypeResult WindowResult(std::string_view op, const Shape& x, int64_t channels, const Extents& reach,
                        const Extents& stride, const Pads& pad);

}  // namespace tally::quant
