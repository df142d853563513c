#include "frontends/onnx/export/operators.h"

#include <algorithm>

namespace tally::onnx {
namespace {

constexpr ExportRow kRows[] = {
#define ONNX_EXPORT(name, exporter, form) {Opcode::k##name, exporter, form},
#include "frontends/onnx/export/operators.inc"
#undef ONNX_EXPORT
};

}  // namespace

std::span<const ExportRow> ExportRows() { return kRows; }

const ExportRow* FindExportRow(Opcode op) {
  const auto* const row = std::ranges::find(kRows, op, &ExportRow::op);
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace tally::onnx
