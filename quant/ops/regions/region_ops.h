// Regions of images, resized or pooled.
//
// x is [N, C, H, W]; regions are [R, 4]; images [R], integers, say of which image each is, the nearest one
// where there is none. `scale` makes pixels of what regions are given in. The formulas are those of
// ops/pooling/spec.md and ops/image/spec.md, in floats.
#pragma once

#include <cstdint>

#include "ops/image/attrs.h"
#include "ops/pooling/attrs.h"
#include "quant/ops/op_traits.h"
#include "quant/ops/window.h"

namespace tally::quant {

// Corners [x1, y1, x2, y2] -> [R, C, size.y, size.x]: the maximum of each bin; 0 where a bin is empty.
// Corners are rounded to pixels, and the last one is part of the region.
struct RoiMaxPool {
  static constexpr OpTraits kTraits = {.name = "RoiMaxPool",
                                       .least = 3,
                                       .most = 3,
                                       .takes_integers = true,
                                       .grid = Grid::kOfOperand,
                                       .adds_zero = true};
  Extents size;
  float scale = 1;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  static bool ReadsWide(size_t operand) { return operand == 1; }
  bool operator==(const RoiMaxPool&) const = default;
};

// The same corners -> [R, C, size.y, size.x]: the mean or the maximum of samples between the pixels of each
// bin.
struct RoiAlign {
  static constexpr OpTraits kTraits = {
      .name = "RoiAlign", .least = 3, .most = 3, .takes_integers = true, .rounds = true};
  Extents size;
  float scale = 1;
  RoiAlignMode mode = RoiAlignMode::kAverage;
  bool half_pixel = true;      // pixels have their centres at halves; without it no side is below 1
  int64_t sampling_ratio = 0;  // samples of a bin along each axis; 0: one for each pixel that it begins

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  static bool ReadsWide(size_t operand) { return operand == 1; }
  bool operator==(const RoiAlign&) const = default;
};

// The same corners -> [R, OC, size.y, size.x]: the mean of each bin, in channels of its own. C is OC * size.y
// * size.x where bins are averaged, and OC * parts.y * parts.x where parts are sampled at points.
struct PsroiPool {
  static constexpr OpTraits kTraits = {
      .name = "PsroiPool", .least = 3, .most = 3, .takes_integers = true, .rounds = true};
  Extents size;
  float scale = 1;
  PsroiMode mode = PsroiMode::kAverage;
  Extents parts;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  static bool ReadsWide(size_t operand) { return operand == 1; }
  bool operator==(const PsroiPool&) const = default;
};

// As PsroiPool in mode average, by parts.y * parts.x samples of each bin, which the operand
// [offsets [R, 2 * classes, PH, PW]] moves by `offset_scale` of the sides of the region.
struct DeformablePsroiPool {
  static constexpr OpTraits kTraits = {
      .name = "DeformablePsroiPool", .least = 3, .most = 4, .takes_integers = true, .rounds = true};
  Extents size;
  float scale = 1;
  Extents parts;
  float offset_scale = 1;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  static bool ReadsWide(size_t operand) { return operand == 1 || operand == 3; }
  bool operator==(const DeformablePsroiPool&) const = default;
};

// Boxes as `boxes` says -> [R, C, size.y, size.x]: each sampled between pixels at the points of `grid`.
struct CropResize {
  static constexpr OpTraits kTraits = {
      .name = "CropResize", .least = 3, .most = 3, .takes_integers = true, .rounds = true};
  Extents size;
  CropGrid grid = CropGrid::kStrictAlignEndpoints;
  BoxForm boxes = BoxForm::kCornersHeightFirst;
  bool normalized = false;  // 1 is the last pixel
  float scale = 1;
  bool zero_outside = false;  // a point outside is 0, not the nearest border

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  static bool ReadsWide(size_t operand) { return operand == 1; }
  bool operator==(const CropResize&) const = default;
};

}  // namespace tally::quant
