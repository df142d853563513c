// The importers of exact/operators.inc and exact/ml_operators.inc, and how to find one.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/onnx/exact/node.h"

namespace tally::onnx {

using ExactOperator = absl::StatusOr<ExactResults> (*)(ExactNode&);

// Errors: model_unsupported_operator.
absl::StatusOr<ExactOperator> FindExactOperator(std::string_view domain, std::string_view name,
                                                int64_t opset);

#define ONNX_EXACT(name, first_opset, last_opset, importer) \
  absl::StatusOr<ExactResults> importer(ExactNode& node);
#include "frontends/onnx/exact/operators.inc"
#undef ONNX_EXACT

#define ONNX_EXACT_ML(name, importer) absl::StatusOr<ExactResults> importer(ExactNode& node);
#include "frontends/onnx/exact/ml_operators.inc"
#undef ONNX_EXACT_ML

}  // namespace tally::onnx
