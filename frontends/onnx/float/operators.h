// The importers of operators.inc, contrib_operators.inc and nhwc_operators.inc, and how to find one.
//
//   ASSIGN_OR_RETURN(const OperatorImporter import, FindOperator("", "Conv", 13));
//   RETURN_IF_ERROR(import(node));
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/onnx/float/node_context.h"

namespace tally::onnx {

using OperatorImporter = absl::Status (*)(NodeContext&);

// `domain` is empty for ONNX's own, to which `opset` belongs. Errors: model_unsupported_operator.
absl::StatusOr<OperatorImporter> FindOperator(std::string_view domain, std::string_view name, int64_t opset);

// The same among those of the NHWC dialect, which has no domains.
absl::StatusOr<OperatorImporter> FindNhwcOperator(std::string_view domain, std::string_view name);

#define ONNX_OPERATOR(name, first_opset, last_opset, importer) absl::Status importer(NodeContext& node);
#include "frontends/onnx/float/operators.inc"
#undef ONNX_OPERATOR

#define ONNX_CONTRIB(name, importer) absl::Status importer(NodeContext& node);
#define ONNX_FUSED(name, expansion)
#define ONNX_QONNX(name, importer) absl::Status importer(NodeContext& node);
#define ONNX_ML(name, importer) absl::Status importer(NodeContext& node);
#include "frontends/onnx/expand/contrib_operators.inc"
#undef ONNX_ML
#undef ONNX_QONNX
#undef ONNX_FUSED
#undef ONNX_CONTRIB

#define ONNX_NHWC(name, importer) absl::Status importer(NodeContext& node);
#include "frontends/onnx/float/nhwc_operators.inc"
#undef ONNX_NHWC

}  // namespace tally::onnx
