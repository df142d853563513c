// Arithmetic on constants, with which exporters compute shapes, pads and scales: done at import, on integers
// as on floats.
#pragma once

#include "absl/status/status.h"
#include "frontends/onnx/node_context.h"

namespace tally::onnx {

// Whether `node`, of ONNX's own domain, is such an operator and all that it reads are constants.
bool IsComputedAtImport(const NodeContext& node);

// The importer of those. Errors: model_malformed (division by 0), model_unsupported_operand (a result beyond
// 64 bits), model_shape, model_unsupported_type.
absl::Status ComputeAtImport(NodeContext& node);

}  // namespace tally::onnx
