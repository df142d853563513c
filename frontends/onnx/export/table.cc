#include "frontends/onnx/export/operators.h"
#include "ops/table/attrs.h"

namespace tally::onnx {
namespace {

// table[clamp(index)]
Wires Lookup(ExportContext& c, const Wire& index) {
  const Wire& table = c.x(1);
  return {c.g.Gather(c.g.Reshape(table, ShapeOfDims({table.shape.num_elements()})),
                     c.g.Clip(index, {0, table.shape.num_elements() - 1}), 0)};
}

}  // namespace

Wires ExportTable(ExportContext& c) { return Lookup(c, c.g.Offset(c.x(0), -c.attrs<TableAttrs>().offset)); }

Wires ExportCvmLut(ExportContext& c) { return Lookup(c, c.x(0)); }

}  // namespace tally::onnx
