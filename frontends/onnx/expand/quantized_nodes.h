// Operators on quantized tensors, QLinearConv and the like: quantized_nodes.inc lists them. What they compute
// is what their float operators compute between DequantizeLinear and QuantizeLinear, so they are imported as
// these, and a network gives the same module whether its file has one form or the other.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

bool IsQuantizedNode(const ::onnx::NodeProto& node);

// The nodes of ONNX's own domain that stand for `node`, in order; nothing of all other nodes. Errors:
// model_malformed, where it lacks inputs; model_unsupported_attribute.
absl::StatusOr<std::optional<std::vector<::onnx::NodeProto>>> ExpandQuantizedNode(
    const ::onnx::NodeProto& node, int64_t opset);

// Whether an operator of ONNX's own domain only moves elements or chooses some, so that it does not matter
// whether these are codes.
bool MovesCodes(std::string_view op_type);

}  // namespace tally::onnx
