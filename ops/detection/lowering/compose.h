// The steps that the lowerings of this family share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/common/compose.h"
#include "ops/detection/lowering/attrs.h"
#include "ops/elementwise/attrs.h"
#include "ops/gather/attrs.h"
#include "ops/labels.h"
#include "ops/layout/attrs.h"
#include "ops/lowerings.h"
#include "ops/rescale/attrs.h"
#include "ops/table/attrs.h"

namespace tally::detection {

// x[begin : end] on one axis; all of it is x itself.
inline absl::StatusOr<Value> Slice(Composition& c, Value x, int axis, int64_t begin, int64_t end) {
  if (begin == 0 && end == c.shape(x)[axis]) return x;
  StridedSliceAttrs attrs;
  for (int a = 0; a <= axis; ++a) {
    attrs.begin.push_back(a == axis ? begin : 0);
    attrs.end.push_back(a == axis ? end : c.shape(x)[a]);
    attrs.stride.push_back(1);
  }
  return c.Apply(Opcode::kStridedSlice, {x}, attrs);
}

inline absl::StatusOr<Value> Concat(Composition& c, std::vector<Value> parts, int64_t axis) {
  return c.Apply(Opcode::kConcatenate, std::move(parts), ConcatenateAttrs{.axis = axis});
}

inline absl::StatusOr<Value> Take(Composition& c, Value x, Value indices, int64_t axis) {
  return c.Apply(Opcode::kTake, {x, indices}, TakeAttrs{.axis = {axis}});
}

inline absl::StatusOr<Value> List(Composition& c, const std::vector<int64_t>& values) {
  return c.Constant({static_cast<int64_t>(values.size())}, std::span<const int64_t>(values));
}

// round((sum of x_k * m_k + bias) / 2^shift), half up, of tensors of one shape.
inline absl::StatusOr<Value> Lincomb(Composition& c, std::vector<Value> x, std::vector<int64_t> m,
                                     int64_t bias, int64_t shift) {
  constexpr Interval kElement = TensorLimit(Profile::kCore);
  LincombAttrs attrs = {.bias = bias, .shift = shift, .lo = kElement.lo, .hi = kElement.hi};
  attrs.zero_points.assign(m.size(), 0);
  attrs.multipliers = std::move(m);
  return c.Apply(Opcode::kLincomb, std::move(x), attrs);
}

// rows[index - 1] of rows [R, E] for an index [K]; zeros where the index is below 1.
inline absl::StatusOr<Value> TakeRows(Composition& c, Value rows, Value index) {
  ASSIGN_OR_RETURN(const Value padded,
                   c.Apply(Opcode::kPad, {rows}, PadAttrs{.before = {1, 0}, .after = {0, 0}, .value = 0}));
  return Take(c, padded, index, 0);
}

// Corners on the last axis, clamped to [0, limits[0]] and [0, limits[1]] by turns; no limits change nothing.
inline absl::StatusOr<Value> ClipCorners(Composition& c, Value corners, const std::vector<int64_t>& limits) {
  if (limits.empty()) return corners;
  if (limits.size() != 2)
    return MakeError(label::lowering_operands,
                     "there are " + std::to_string(limits.size()) + " limits; 0 or 2 are right");
  if (limits[0] == limits[1]) return c.Apply(Opcode::kClip, {corners}, ClipAttrs{0, limits[0]});
  const int axis = c.shape(corners).rank() - 1;
  std::vector<Value> parts;
  for (int64_t k = 0; k < 4; ++k) {
    ASSIGN_OR_RETURN(const Value part, Slice(c, corners, axis, k, k + 1));
    ASSIGN_OR_RETURN(const Value clipped, c.Apply(Opcode::kClip, {part}, ClipAttrs{0, limits[k % 2]}));
    parts.push_back(clipped);
  }
  return Concat(c, std::move(parts), axis);
}

inline absl::Status Require(bool condition, std::string_view message) {
  return condition ? absl::OkStatus() : MakeError(label::lowering_operands, message);
}

}  // namespace tally::detection
