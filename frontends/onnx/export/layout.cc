#include <limits>

#include "frontends/onnx/export/operators.h"
#include "ops/indexing.h"
#include "ops/layout/attrs.h"
#include "ops/layout/slice_shape.h"

namespace tally::onnx {
namespace {

// Slices along `axis` at known places.
Wire Take(GraphWriter& g, const Wire& x, int axis, const std::vector<int64_t>& places) {
  return g.Gather(x, g.List(places), axis);
}

// The index in [0, n) of the element that a mode of padding puts at index i; modes that mirror repeat after
// each pair of mirrors.
int64_t Source(PadMode mode, int64_t i, int64_t n) {
  const auto floor_mod = [](int64_t a, int64_t b) { return (a % b + b) % b; };
  switch (mode) {
    case PadMode::kConstant: break;
    case PadMode::kEdge: return std::clamp<int64_t>(i, 0, n - 1);
    case PadMode::kReflect: {
      const int64_t period = std::max<int64_t>(2 * (n - 1), 1), k = floor_mod(i, period);
      return std::min(k, period - k) % n;
    }
    case PadMode::kSymmetric: {
      const int64_t k = floor_mod(i, 2 * n);
      return std::min(k, 2 * n - 1 - k);
    }
    case PadMode::kWrap: return floor_mod(i, n);
  }
  return i;
}

}  // namespace

// reshape, flatten, expand_dims and squeeze keep the order of the elements.
Wires ExportReshape(ExportContext& c) { return {c.g.Reshape(c.x(0), c.results[0].shape)}; }

Wires ExportTranspose(ExportContext& c) {
  std::vector<int64_t> axes = c.attrs<TransposeAttrs>().axes;
  for (int64_t& axis : axes) axis = FrontAxis(axis, c.rank(0));
  for (int axis = c.rank(0) - 1; axes.size() < static_cast<size_t>(c.rank(0)); --axis) axes.push_back(axis);
  return {c.g.Transpose(c.x(0), axes)};
}

Wires ExportConcatenate(ExportContext& c) {
  std::vector<Wire> parts(c.operands.begin(), c.operands.end());
  Interval interval = parts[0].interval;
  const bool is_one_type =
      std::ranges::all_of(parts, [&](const Wire& part) { return part.type == parts[0].type; });
  for (Wire& part : parts) {
    if (!is_one_type) part = c.g.Int64(part);
    interval = interval.Hull(part.interval);
  }
  const int64_t axis = FrontAxis(c.attrs<ConcatenateAttrs>().axis, c.rank(0));
  const int type = parts[0].type;
  return {c.g.Node("Concat", std::move(parts), {type, c.results[0].shape, interval}, {{"axis", axis}})};
}

Wires ExportRepeat(ExportContext& c) {
  const auto attrs = c.attrs<RepeatAttrs>();
  const int axis = FrontAxis(attrs.axis, c.rank(0));
  if (!c.g.MayMake(c.results[0].shape[axis])) return {};
  std::vector<int64_t> places(c.results[0].shape[axis]);
  for (int64_t i = 0; i < std::ssize(places); ++i) places[i] = i / attrs.repeats;
  return {Take(c.g, c.x(0), axis, places)};
}

// reps are aligned with the last axes; more of them than axes add some in front.
Wires ExportTile(ExportContext& c) {
  std::vector<int64_t> reps = c.attrs<TileAttrs>().reps, dims = DimsOf(c.shape(0));
  const size_t rank = std::max(reps.size(), dims.size());
  reps.insert(reps.begin(), rank - reps.size(), 1);
  dims.insert(dims.begin(), rank - dims.size(), 1);
  const Wire x = c.g.Reshape(c.x(0), ShapeOfDims(dims));
  return {c.g.Node("Tile", {x, c.g.List(reps)}, {x.type, c.results[0].shape, x.interval})};
}

Wires ExportStridedSlice(ExportContext& c) {
  const auto attrs = c.attrs<StridedSliceAttrs>();
  const Shape& y = c.results[0].shape;
  std::vector<int64_t> starts, ends, axes, steps;
  for (int axis = 0; axis < c.rank(0); ++axis) {
    const AxisSlice slice = SliceOfAxis(attrs, axis, c.shape(0)[axis]);
    if (slice.begin == 0 && slice.stride == 1 && y[axis] == c.shape(0)[axis]) continue;
    const int64_t end = slice.begin + slice.stride * y[axis];
    starts.push_back(slice.begin);
    // An end in front of the first element would count from the back.
    ends.push_back(end < 0 ? std::numeric_limits<int32_t>::min() : end);
    axes.push_back(axis);
    steps.push_back(slice.stride);
  }
  if (axes.empty()) return {c.x(0)};
  GraphWriter& g = c.g;
  return {g.Node("Slice", {c.x(0), g.List(starts), g.List(ends), g.List(axes), g.List(steps)},
                 {c.x(0).type, y, c.x(0).interval})};
}

Wires ExportSliceLike(ExportContext& c) {
  const Shape& y = c.results[0].shape;
  std::vector<int64_t> axes, starts;
  for (int axis = 0; axis < c.rank(0); ++axis) {
    axes.push_back(axis);
    starts.push_back(0);
  }
  if (y == c.shape(0)) return {c.x(0)};
  GraphWriter& g = c.g;
  return {g.Node("Slice", {c.x(0), g.List(starts), g.List(DimsOf(y)), g.List(axes)},
                 {c.x(0).type, y, c.x(0).interval})};
}

Wires ExportPad(ExportContext& c) {
  const auto attrs = c.attrs<PadAttrs>();
  if (attrs.mode == PadMode::kConstant) return {c.g.Pad(c.x(0), attrs.before, attrs.after, attrs.value)};
  Wire y = c.x(0);
  for (int axis = 0; axis < c.rank(0); ++axis) {
    const int64_t n = c.shape(0)[axis];
    if (attrs.before[axis] == 0 && attrs.after[axis] == 0) continue;
    if (!c.g.MayMake(attrs.before[axis] + n + attrs.after[axis])) return {};
    std::vector<int64_t> places;
    for (int64_t i = -attrs.before[axis]; i < n + attrs.after[axis]; ++i) {
      places.push_back(Source(attrs.mode, i, n));
    }
    y = Take(c.g, y, axis, places);
  }
  return {y};
}

Wires ExportBroadcastTo(ExportContext& c) { return {c.g.Expand(c.x(0), c.results[0].shape)}; }

Wires ExportIota(ExportContext& c) {
  const auto attrs = c.attrs<IotaAttrs>();
  const Shape& y = c.results[0].shape;
  const int axis = FrontAxis(attrs.axis, y.rank());
  if (!c.g.MayMake(y[axis])) return {};
  std::vector<int64_t> values;
  for (int64_t i = 0; i < y[axis]; ++i) values.push_back(attrs.start + attrs.step * i);
  std::vector<int64_t> dims(y.rank() - axis, 1);
  dims[0] = y[axis];
  return {c.g.Expand(c.g.Constant(*Tensor::FromValues(ShapeOfDims(dims), values)), y)};
}

Wires ExportFill(ExportContext& c) {
  return {c.g.Expand(c.g.Scalar(c.attrs<FillAttrs>().value), c.results[0].shape)};
}

}  // namespace tally::onnx
