#include "frontends/onnx/export/operators.h"
#include "ops/sort/attrs.h"

namespace tally::onnx {
namespace {

// The first k elements of each line in order and their positions; of equal ones the first comes first, in
// ONNX too.
Wires TopK(ExportContext& c, int64_t k, int64_t axis, bool largest) {
  const int front = FrontAxis(axis, c.rank(0));
  std::vector<int64_t> dims = DimsOf(c.shape(0));
  dims[front] = k;
  const int type = ::onnx::TensorProto::INT64;
  return c.g.Nodes(
      "TopK", {c.g.Int64(c.x(0)), c.g.List({k})},
      {{type, ShapeOfDims(dims), c.x(0).interval}, {type, ShapeOfDims(dims), {0, c.shape(0)[front] - 1}}},
      {{"axis", int64_t{front}}, {"largest", int64_t{largest}}, {"sorted", int64_t{1}}});
}

int64_t DimOf(const ExportContext& c, int64_t axis) { return c.shape(0)[FrontAxis(axis, c.rank(0))]; }

}  // namespace

Wires ExportSort(ExportContext& c) {
  const auto attrs = c.attrs<SortAttrs>();
  return {TopK(c, DimOf(c, attrs.axis), attrs.axis, attrs.descending)[0]};
}

Wires ExportArgSort(ExportContext& c) {
  const auto attrs = c.attrs<SortAttrs>();
  return {TopK(c, DimOf(c, attrs.axis), attrs.axis, attrs.descending)[1]};
}

Wires ExportTopK(ExportContext& c) {
  const auto attrs = c.attrs<TopKAttrs>();
  if (attrs.order == TopKOrder::kIndex) return c.Refuse("ONNX leaves the order of an unsorted TopK open");
  return TopK(c, attrs.k, attrs.axis, attrs.largest);
}

}  // namespace tally::onnx
