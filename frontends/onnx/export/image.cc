#include "frontends/onnx/export/operators.h"
#include "ops/image/attrs.h"

namespace tally::onnx {

// Each row, and then each column, as often as the scale says.
Wires ExportUpsampling(ExportContext& c) {
  Wire y = c.x(0);
  for (const int axis : {2, 3}) {
    if (!c.g.MayMake(c.results[0].shape[axis])) return {};
    std::vector<int64_t> places(c.results[0].shape[axis]);
    for (int64_t i = 0; i < std::ssize(places); ++i) places[i] = i / c.attrs<UpsamplingAttrs>().scale;
    y = c.g.Gather(y, c.g.List(places), axis);
  }
  return {y};
}

// The slices that the taps name, [.., O, T, ..], times the weights, summed over the taps.
Wires ExportResample(ExportContext& c) {
  if (c.rank(0) == kMaxRank) return c.Refuse("its form needs a rank beyond 8");
  GraphWriter& g = c.g;
  const int axis = FrontAxis(c.attrs<ResampleAttrs>().axis, c.rank(0));
  const Wire taps = g.Gather(c.x(0), c.x(1), axis);
  std::vector<int64_t> dims = DimsOf(c.shape(2));
  dims.insert(dims.end(), c.rank(0) - axis - 1, 1);
  return {g.ReduceSum(g.Mul(taps, g.Reshape(c.x(2), ShapeOfDims(dims))), {axis + 1}, false)};
}

}  // namespace tally::onnx
