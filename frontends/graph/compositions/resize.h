// Images of another size.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

// A positive float as a fraction of integers of at most 30 bits, exactly.
struct Fraction {
  int64_t numerator = 1;
  int64_t denominator = 1;
  bool operator==(const Fraction&) const = default;
};
// Errors: model_malformed for what is not positive and finite; model_unsupported_operand.
absl::StatusOr<Fraction> FractionOf(float scale);

// By axis of x.
struct ResizeTarget {
  quant::Shape shape;
  std::vector<Fraction> scales = {};  // none: the ratios of the sizes
};
// The shape that scales, one for each axis, give: the whole elements of size times scale. Errors: those of
// FractionOf, model_shape.
absl::StatusOr<ResizeTarget> ByScales(const std::vector<float>& scales, const quant::Shape& x);

// x [N, C, L] or [N, C, H, W] with its spatial axes resized as `how` says, whose sizes and scales are of no
// account. Errors: model_shape for another rank, model_unsupported_operand where batch or channels differ.
absl::StatusOr<Operand> Resized(Emitter& emitter, const Operand& x, ResizeTarget target, quant::Resize how);
absl::StatusOr<Operand> Resized(Emitter& emitter, const Operand& x, ResizeTarget target,
                                quant::ResizeCubic how);

}  // namespace tally::frontend
