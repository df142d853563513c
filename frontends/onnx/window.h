// The windows of a convolution or a pool as the attributes of a node give them, with automatic padding
// resolved: what both importers read.
//
//   ASSIGN_OR_RETURN(const NodeWindows windows, ReadWindows(node.attributes(), spatial_dims, kernel));
//
// Each list has one number for each spatial axis, those after the first two of the input.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/onnx/attributes.h"

namespace tally::onnx {

using Extents = std::vector<int64_t>;

struct NodeWindows {
  Extents kernel, stride, dilation, pad_begin, pad_end;
  bool ceil_mode = false;  // pools only; the pads are without what it adds
  Extents output_padding;  // transposed convolutions only; their pads cut the result

  bool has_pads() const;

  // The lists of an attribute struct of the linear or the pooling family.
  template <typename Attrs>
  void CopyTo(Attrs& attrs) const {
    attrs.stride = stride;
    attrs.dilation = dilation;
    attrs.pad_begin = pad_begin;
    attrs.pad_end = pad_end;
  }
};

// Reads auto_pad, ceil_mode (where `has_ceil_mode`), dilations, kernel_shape, pads and strides. `dims` are
// those of the spatial axes; `weight_kernel` those of a convolution's weight, which kernel_shape, if present,
// must repeat.
// Errors: onnx_shape                  kernel_shape contradicts the weight
//         onnx_malformed              an attribute is missing, has another length or is out of range, or two
//                                     contradict each other
//         onnx_unsupported_attribute  auto_pad with ceil_mode
absl::StatusOr<NodeWindows> ReadWindows(Attributes& attributes, std::span<const int64_t> dims,
                                        const std::optional<Extents>& weight_kernel,
                                        bool has_ceil_mode = false);

// Reads auto_pad, dilations, kernel_shape, output_padding, output_shape, pads and strides, as ReadWindows
// does.
absl::StatusOr<NodeWindows> ReadTransposedWindows(Attributes& attributes, std::span<const int64_t> dims,
                                                  const Extents& weight_kernel);

}  // namespace tally::onnx
