// The windows of a convolution or a pool as the attributes of a node give them, with automatic padding
// resolved: what both importers read.
//
//   ASSIGN_OR_RETURN(const LayerWindows windows, ReadWindows(node.attributes(), spatial_dims, kernel));
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "frontends/graph/window.h"
#include "frontends/onnx/model/attributes.h"

namespace tally::onnx {

using frontend::Extents;
using frontend::LayerWindows;

// Reads auto_pad, ceil_mode (where `has_ceil_mode`), dilations, kernel_shape, pads and strides. `dims` are
// those of the spatial axes; `weight_kernel` those of a convolution's weight, which kernel_shape, if present,
// must repeat.
// Errors: model_shape                  kernel_shape contradicts the weight
//         model_malformed              an attribute is missing, has another length or is out of range, or two
//                                      contradict each other
//         model_unsupported_attribute  auto_pad with ceil_mode
absl::StatusOr<LayerWindows> ReadWindows(Attributes& attributes, std::span<const int64_t> dims,
                                         const std::optional<Extents>& weight_kernel,
                                         bool has_ceil_mode = false);

// The windows of the NHWC dialect: dilations, kernel_shape and strides have a number for each spatial axis,
// or for all axes with 1 for batch and channels, and pads is "SAME", where an odd number has its larger half
// at the end, or "VALID", which it also is where it is left out. Errors: as for ReadWindows.
absl::StatusOr<LayerWindows> ReadNhwcWindows(Attributes& attributes, std::span<const int64_t> dims,
                                             const std::optional<Extents>& weight_kernel);

// Reads auto_pad, dilations, kernel_shape, output_padding, output_shape, pads and strides, as ReadWindows
// does.
absl::StatusOr<LayerWindows> ReadTransposedWindows(Attributes& attributes, std::span<const int64_t> dims,
                                                   const Extents& weight_kernel);

}  // namespace tally::onnx
