// The exporters of export/operators.inc, and how to find one.
#pragma once

#include <span>
#include <string_view>

#include "frontends/onnx/export/context.h"
#include "ops/op_table.h"

namespace tally::onnx {

// The results of an instruction as wires; or c.g.refusal() says why there are none.
using Exporter = Wires (*)(ExportContext& c);

struct ExportRow {
  Opcode op;
  Exporter write;
  std::string_view form;  // in words, of ONNX's operators
};

std::span<const ExportRow> ExportRows();

// Null where the operator has no exact form.
const ExportRow* FindExportRow(Opcode op);

#define ONNX_EXPORT(name, exporter, form) Wires exporter(ExportContext& c);
#include "frontends/onnx/export/operators.inc"
#undef ONNX_EXPORT

}  // namespace tally::onnx
