// Arithmetic on constants, with which exporters compute shapes, pads and scales: done at import, on integers
// as on floats.
#pragma once

#include "absl/status/status.h"
#include "frontends/onnx/node_context.h"

namespace tally::onnx {

// Whether `node`, of ONNX's own domain, is such an operator and all that it reads are constants.
bool IsComputedAtImport(const ::onnx::NodeProto& node, const Scope& scope);

// The importer of those. Errors: onnx_malformed (division by 0), onnx_unsupported_operand (a result beyond 64
// bits), onnx_shape, onnx_unsupported_type.
absl::Status ComputeAtImport(NodeContext& node);

}  // namespace tally::onnx
