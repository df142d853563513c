// Operators of domain com.microsoft that are one of ONNX's own with an activation after it;
// contrib_operators.inc lists them.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

bool IsFusedNode(const ::onnx::NodeProto& node);

// The nodes of ONNX's own domain that stand for `node`, in order; nothing of all other nodes. Errors:
// model_malformed, where an attribute lacks or is not of its type; model_unsupported_attribute, for other
// activations than ONNX Runtime's optimizer knows.
absl::StatusOr<std::optional<std::vector<::onnx::NodeProto>>> ExpandFusedNode(const ::onnx::NodeProto& node,
                                                                              int64_t opset);

}  // namespace tally::onnx
