// Images of another size.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/emitter.h"
#include "frontends/graph/labels.h"

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

// `of_all`, with `values` at `axes`. Errors: model_malformed for another number of values, or no axis.
template <typename T>
absl::StatusOr<std::vector<T>> AtAxes(const std::vector<T>& values, const std::vector<int64_t>& axes,
                                      std::vector<T> of_all) {
  if (values.size() != axes.size()) {
    return MakeError(label::model_malformed, "there are " + std::to_string(values.size()) + " numbers for " +
                                                 std::to_string(axes.size()) + " axes");
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(axes[i], of_all.size()));
    of_all[static_cast<size_t>(axis)] = values[i];
  }
  return of_all;
}

// The value of a name in a list of them. Errors: model_unsupported_attribute.
template <typename Enum, size_t kCount>
absl::StatusOr<Enum> ByName(const std::array<std::string_view, kCount>& names, const std::string& name) {
  const auto it = std::ranges::find(names, name);
  if (it != names.end()) return static_cast<Enum>(it - names.begin());
  return MakeError(label::model_unsupported_attribute, PrintableStart(name) + " is not imported");
}

// x [N, C, L] or [N, C, H, W] with its spatial axes resized as `how` says, whose sizes and scales are of no
// account. Errors: model_shape for another rank, model_unsupported_operand where batch or channels differ.
absl::StatusOr<Operand> Resized(Emitter& emitter, const Operand& x, ResizeTarget target, quant::Resize how);
absl::StatusOr<Operand> Resized(Emitter& emitter, const Operand& x, ResizeTarget target,
                                quant::ResizeCubic how);

// Points of an axis of x as weighted sums of its elements: rows of a matrix [size, elements of the axis].
struct AxisWeights {
  size_t axis = 0;
  quant::FloatTensor rows;
};
// The weights of `size` points whose neighbours weigh as a triangle does, 1 together. The triangle is as wide
// as a step, if that is more than an element (antialias). Beyond its ends an axis repeats its last elements.
// `coordinates`: one of those without a region.
absl::StatusOr<AxisWeights> TriangleWeights(Emitter& emitter, size_t axis, int64_t elements, int64_t size,
                                            double scale, Coordinates coordinates);
// The weights of `size` points from `first` to `last`, as parts of the axis: of two elements, or of the
// nearest one. Points outside have no weights.
absl::StatusOr<AxisWeights> RegionWeights(Emitter& emitter, size_t axis, int64_t elements, int64_t size,
                                          double first, double last, std::optional<Nearest> nearest);

// x with points on the last two axes, of which each that is weighted is multiplied by its matrix; `outside`
// where a point has no weights.
absl::StatusOr<Operand> ResizedByWeights(Emitter& emitter, const Operand& x,
                                         const std::vector<AxisWeights>& weights, float outside);

}  // namespace tally::frontend
