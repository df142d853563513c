// Convolutions and pools over one or two spatial axes. Values of one spatial axis, [N, C, L], are images of
// one row, [N, C, 1, L]: what the graph has.
//
//   ASSIGN_OR_RETURN(const Operand y, Convolution(emitter, {x, weight, bias}, windows, groups));
#pragma once

#include <cstdint>
#include <optional>
#include <span>

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

// Errors, for all four: model_shape for other ranks than 3 and 4, those of the graph.
absl::Status CheckConvOperands(const ConvOperands& operands);
absl::StatusOr<Operand> Convolution(Emitter& emitter, const ConvOperands& operands,
                                    const LayerWindows& windows, int64_t groups);
absl::StatusOr<Operand> TransposedConvolution(Emitter& emitter, const ConvOperands& operands,
                                              const LayerWindows& windows, int64_t groups);

absl::Status CheckPoolOperand(const Operand& x);
// Errors: also model_unsupported_attribute for dilated windows.
absl::StatusOr<Operand> MaxPool(Emitter& emitter, const Operand& x, const LayerWindows& windows);
// Without `count_include_pad` the divisor is the number of elements inside x. Errors: also
// model_unsupported_attribute where ceil_mode extends windows beyond pads that count.
absl::StatusOr<Operand> AveragePool(Emitter& emitter, const Operand& x, const LayerWindows& windows,
                                    bool count_include_pad);

// [N, C, ..] -> [N, C, 1, ..], of any number of spatial axes. Errors: model_shape where there is none.
absl::StatusOr<Operand> GlobalAveragePool(Emitter& emitter, const Operand& x);
absl::StatusOr<Operand> GlobalMaxPool(Emitter& emitter, const Operand& x);

}  // namespace tally::frontend
