// Operators of whole images.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/image/lowering/attrs.h"
#include "quant/ops/op_traits.h"
#include "quant/ops/window.h"

namespace tally::quant {

// x [N, C, H, W] -> [N, C, size.y, size.x], along each axis on its own. A point of the result is on an
// axis of x where `coordinates` say (ops/image/lowerings.md, resize); it is the nearest pixel, as `nearest`
// rounds, or the two around it, each weighted by 1 - its distance.
struct Resize {
  static constexpr OpTraits kTraits = {.name = "Resize", .grid = Grid::kOfOperand};
  Extents size;
  bool linear = false;
  Coordinates coordinates = Coordinates::kHalfPixel;
  Nearest nearest = Nearest::kRoundPreferFloor;
  // Numerator and denominator of the scale along H, then along W, that coordinates follow; none: the
  // ratios of the sizes.
  std::vector<int64_t> scales = {};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  ResizeAttrs attrs() const {
    return {.axes = {2, 3},
            .sizes = {size.y, size.x},
            .scales = scales,
            .mode = linear ? ResizeMode::kLinear : ResizeMode::kNearest,
            .coordinates = coordinates,
            .nearest = nearest};
  }
  bool operator==(const Resize&) const = default;
};

// As Resize, by cubic curves through four pixels of each axis: each weighs what Keys' function with
// `coefficient` says of its distance. Results may be outside of what the pixels are within.
struct ResizeCubic {
  static constexpr OpTraits kTraits = {.name = "ResizeCubic", .rounds = true};
  Extents size;
  Coordinates coordinates = Coordinates::kHalfPixel;
  double coefficient = -0.75;
  bool antialias = false;        // stretch the curve where an axis shrinks
  bool exclude_outside = false;  // pixels outside weigh nothing; otherwise they are those of the border
  std::vector<int64_t> scales = {};

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  ResizeAttrs attrs() const {
    constexpr int64_t kUnits = 1 << 20;
    return {.axes = {2, 3},
            .sizes = {size.y, size.x},
            .scales = scales,
            .mode = ResizeMode::kCubic,
            .coordinates = coordinates,
            .antialias = antialias,
            .exclude_outside = exclude_outside,
            .cubic_numerator = static_cast<int64_t>(coefficient * kUnits),
            .cubic_denominator = kUnits};
  }
  bool operator==(const ResizeCubic&) const = default;
};

}  // namespace tally::quant
