// The most frequent compositions of lowerings, and how they refuse.
#pragma once

#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/elementwise/attrs.h"
#include "ops/infer.h"
#include "ops/labels.h"
#include "ops/layout/attrs.h"
#include "ops/lowerings.h"

namespace tally {

using Dims = std::vector<int64_t>;

inline Dims DimsOf(const Shape& shape) { return {shape.dims().begin(), shape.dims().end()}; }

inline int64_t ProductOf(const Dims& dims, size_t from, size_t to) {
  int64_t product = 1;  // for dims of one shape
  for (size_t i = from; i < to; ++i) product *= dims[i];
  return product;
}

inline absl::Status Meaningless(std::string_view why) { return MakeError(label::lowering_operands, why); }

inline absl::StatusOr<int> AxisOf(int64_t axis, int rank) {
  return NormalizeAxis(axis, rank, label::lowering_operands);
}

// The listed axes as flags; error when one is listed twice.
inline absl::StatusOr<std::vector<bool>> AxesOf(const std::vector<int64_t>& axes, int rank) {
  std::vector<bool> listed(rank, false);
  for (const int64_t entry : axes) {
    ASSIGN_OR_RETURN(const int axis, AxisOf(entry, rank));
    if (listed[axis]) return Meaningless(absl::StrCat("axis ", axis, " is listed twice"));
    listed[axis] = true;
  }
  return listed;
}

// 0, 1, .., rank - 1
inline Dims EveryAxis(int rank) {
  Dims axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

// x in the shape `dims`; x itself where it has that shape. A constant stays one, and with it what rules
// know of its elements.
inline absl::StatusOr<Value> Reshape(Composition& c, Value x, const Dims& dims) {
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  if (shape == c.shape(x)) return x;
  const TensorView* constant = c.constant(x);
  if (constant == nullptr || constant->shape.num_elements() != shape.num_elements()) {
    return c.Apply(Opcode::kReshape, {x}, ReshapeAttrs{dims});
  }
  TensorView view = *constant;
  view.shape = shape;
  if (c.is_borrowed(x)) return c.Borrow(view);
  const Tensor reshaped = Tensor::Copy(view, view.storage);
  return c.recipe(x) != nullptr ? c.Constant(Recipe(*c.recipe(x)), reshaped) : c.Constant(reshaped);
}

inline absl::StatusOr<Value> Transpose(Composition& c, Value x, const Dims& axes) {
  return c.Apply(Opcode::kTranspose, {x}, TransposeAttrs{axes});
}

inline absl::StatusOr<Value> BroadcastTo(Composition& c, Value x, const Dims& dims) {
  if (DimsOf(c.shape(x)) == dims) return x;
  return c.Apply(Opcode::kBroadcastTo, {x}, BroadcastToAttrs{dims});
}

// v + term; v itself where the term is 0.
inline absl::StatusOr<Value> Plus(Composition& c, Value v, int64_t term) {
  if (term == 0) return v;
  return c.Apply(Opcode::kBroadcastAdd, {v, c.Constant({}, {term})});
}

// v * factor; v itself where the factor is 1.
inline absl::StatusOr<Value> Times(Composition& c, Value v, int64_t factor) {
  if (factor == 1) return v;
  return c.Apply(Opcode::kBroadcastMul, {v, c.Constant({}, {factor})});
}

// v clamped to [lo, hi]; v itself where it is inside.
inline absl::StatusOr<Value> Within(Composition& c, Value v, Interval range) {
  if (range.Contains(c.interval(v))) return v;
  return c.Apply(Opcode::kClip, {v}, ClipAttrs{range.lo, range.hi});
}

// x[begin : begin + length] on each axis.
inline absl::StatusOr<Value> Crop(Composition& c, Value x, const Dims& begin, const Dims& length) {
  StridedSliceAttrs attrs = {.begin = begin, .end = begin, .stride = {}};
  for (size_t i = 0; i < length.size(); ++i) attrs.end[i] += length[i];
  return c.Apply(Opcode::kStridedSlice, {x}, attrs);
}

}  // namespace tally
