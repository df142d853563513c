#include "frontends/onnx/export/operators.h"
#include "ops/gather/attrs.h"

namespace tally::onnx {
namespace {

// Places in axes of `dims`, one for each element along the last axis of `indices`, or one for all: negative
// ones count from the back, and what is still outside goes to the nearest place.
Wire Places(GraphWriter& g, const Wire& indices, const std::vector<int64_t>& dims) {
  const int64_t least = *std::ranges::min_element(dims);
  if (Interval{0, least - 1}.Contains(indices.interval)) return indices;
  const auto along = [&](int64_t more) {
    std::vector<int64_t> values = dims;
    for (int64_t& value : values) value += more;
    return g.AlongAxis(values, indices.shape.rank() - 1, indices.shape.rank());
  };
  Wire place = indices;
  if (indices.interval.lo < 0) {
    const Wire is_negative = g.Compare("Less", indices, g.Scalar(0));
    place = g.Where(is_negative, g.Add(indices, along(0)), indices);
  }
  return g.Min(g.Max(place, g.Scalar(0)), along(-1));
}

}  // namespace

// Indices are clamped, and a negative one does not count from the back.
Wires ExportTake(ExportContext& c) {
  const auto attrs = c.attrs<TakeAttrs>();
  GraphWriter& g = c.g;
  const int axis = attrs.axis.empty() ? 0 : FrontAxis(attrs.axis[0], c.rank(0));
  const Wire x = attrs.axis.empty() ? g.Reshape(c.x(0), ShapeOfDims({c.shape(0).num_elements()})) : c.x(0);
  return {g.Gather(x, g.Clip(c.x(1), {0, x.shape[axis] - 1}), axis)};
}

Wires ExportGather(ExportContext& c) {
  const int axis = FrontAxis(c.attrs<GatherAttrs>().axis, c.rank(0));
  return {c.g.Gather(c.x(0), Places(c.g, c.x(1), {c.shape(0)[axis]}), axis)};
}

Wires ExportGatherElements(ExportContext& c) {
  const int64_t axis = FrontAxis(c.attrs<GatherAttrs>().axis, c.rank(0));
  const Wire places = c.g.Int64(Places(c.g, c.x(1), {c.shape(0)[static_cast<int>(axis)]}));
  return {c.g.Node("GatherElements", {c.x(0), places}, {c.x(0).type, c.results[0].shape, c.x(0).interval},
                   {{"axis", axis}})};
}

Wires ExportGatherNd(ExportContext& c) {
  const int64_t batch = c.attrs<GatherNdAttrs>().batch_dims;
  std::vector<int64_t> dims;
  for (int64_t k = 0; k < c.shape(1)[c.rank(1) - 1]; ++k) {
    dims.push_back(c.shape(0)[static_cast<int>(batch + k)]);
  }
  const Wire places = c.g.Int64(Places(c.g, c.x(1), dims));
  return {c.g.Node("GatherND", {c.x(0), places}, {c.x(0).type, c.results[0].shape, c.x(0).interval},
                   {{"batch_dims", batch}})};
}

}  // namespace tally::onnx
