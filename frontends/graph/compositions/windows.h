// Convolutions and pools over one to three spatial axes. Values of one spatial axis, [N, C, L], are images of
// one row, [N, C, 1, L]: what the graph has.
//
//   ASSIGN_OR_RETURN(const Operand y, Convolution(emitter, {x, weight, bias}, windows, groups));
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"
#include "frontends/graph/window.h"

namespace tally::frontend {

// The axes after batch and channels, or after both kinds of channels of a weight.
inline std::span<const int64_t> SpatialDims(const quant::Shape& shape) { return std::span(shape).subspan(2); }
inline Extents KernelOf(const quant::Shape& weight) { return {weight.begin() + 2, weight.end()}; }

struct ConvOperands {
  Operand x;                         // [N, IC, ..]
  Operand weight;                    // [OC, IC / groups, ..], of a transposed one [IC, OC / groups, ..]
  std::optional<Operand> bias = {};  // [OC]
};

// Errors, for all four: model_shape for other ranks than 3 to 5, those of the graph.
absl::Status CheckConvOperands(const ConvOperands& operands);
// By a weight that is computed, the windows of x as columns of a matrix product.
absl::StatusOr<Operand> Convolution(Emitter& emitter, const ConvOperands& operands,
                                    const LayerWindows& windows, int64_t groups);
absl::StatusOr<Operand> TransposedConvolution(Emitter& emitter, const ConvOperands& operands,
                                              const LayerWindows& windows, int64_t groups);

// The offsets that move the taps of a convolution of images, and the factors that multiply them.
struct MovedTaps {
  Operand offset;                    // [N, 2 * groups * KH * KW, OH, OW]
  std::optional<Operand> mask = {};  // [N, groups * KH * KW, OH, OW]
  int64_t groups = 1;
  DeformableBorder border = DeformableBorder::kZeroPixels;
};
// The weight is a constant.
absl::StatusOr<Operand> DeformableConvolution(Emitter& emitter, const ConvOperands& operands,
                                              const MovedTaps& taps, const LayerWindows& windows,
                                              int64_t groups);

// x [N, C, ..] in its pads of zeros as columns, one for each window: [N, 1, C times the taps, windows].
// Errors: model_shape where no window fits.
absl::StatusOr<Operand> Columns(Emitter& emitter, const Operand& x, const LayerWindows& windows);

absl::Status CheckPoolOperand(const Operand& x);
absl::StatusOr<Operand> MaxPool(Emitter& emitter, const Operand& x, const LayerWindows& windows);
// Without `count_include_pad` the divisor is the number of elements inside x.
absl::StatusOr<Operand> AveragePool(Emitter& emitter, const Operand& x, const LayerWindows& windows,
                                    bool count_include_pad);

// x [N, C, ..] -> [N, C, sizes..], the mean or the maximum of a window for each place: that of place i of an
// axis of `in` elements with `size` places begins at floor(i in / size) and ends in front of ceil((i + 1) in
// / size). Errors: model_shape where there is another number of axes or a size is none.
absl::StatusOr<Operand> AdaptivePool(Emitter& emitter, Operand x, const std::vector<int64_t>& sizes,
                                     bool is_max);

// [N, C, ..] -> [N, C, 1, ..], of any number of spatial axes. Errors: model_shape where there is none.
absl::StatusOr<Operand> GlobalAveragePool(Emitter& emitter, const Operand& x);
absl::StatusOr<Operand> GlobalMaxPool(Emitter& emitter, const Operand& x);

}  // namespace tally::frontend
