#include "frontends/onnx/export/operators.h"
#include "ops/comparison/attrs.h"

namespace tally::onnx {
namespace {

Wire Compared(GraphWriter& g, Comparison kind, const Wire& a, const Wire& b) {
  switch (kind) {
    case Comparison::kEqual: return g.Compare("Equal", a, b);
    case Comparison::kNotEqual: {
      const Wire equal = g.Compare("Equal", a, b);
      return g.Node("Not", {equal}, {equal.type, equal.shape, {0, 1}});
    }
    case Comparison::kLess: return g.Compare("Less", a, b);
    case Comparison::kLessEqual: return g.Compare("LessOrEqual", a, b);
    case Comparison::kGreater: return g.Compare("Greater", a, b);
    case Comparison::kGreaterEqual: return g.Compare("GreaterOrEqual", a, b);
  }
  return a;
}

}  // namespace

Wires ExportBroadcastGreater(ExportContext& c) { return {c.g.Compare("Greater", c.x(0), c.x(1))}; }

Wires ExportCompare(ExportContext& c) {
  return {Compared(c.g, c.attrs<CompareAttrs>().kind, c.x(0), c.x(1))};
}

Wires ExportSelect(ExportContext& c) { return {c.g.Where(c.g.Truth(c.x(0)), c.x(1), c.x(2))}; }

// A list of conditions decides rows.
Wires ExportWhere(ExportContext& c) {
  Wire condition = c.x(0);
  if (condition.shape != c.shape(1)) {
    std::vector<int64_t> dims(c.rank(1), 1);
    dims[0] = condition.shape[0];
    condition = c.g.Reshape(condition, ShapeOfDims(dims));
  }
  return {c.g.Where(c.g.Truth(condition), c.x(1), c.x(2))};
}

}  // namespace tally::onnx
