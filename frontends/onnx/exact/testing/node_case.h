// ONNX's own node cases, of Debian's libonnx-testdata.
//
//   ASSIGN_OR_RETURN(const NodeCase node_case, ReadNodeCase("test_abs"));
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

struct NodeCase {
  ::onnx::ModelProto model;
  int64_t opset = 1;
  std::vector<::onnx::TensorProto> inputs, outputs;
};

// In no order.
std::vector<std::string> NodeCaseNames();

// Errors: model_malformed, model_unsupported_type (a sequence or an optional value).
absl::StatusOr<NodeCase> ReadNodeCase(const std::string& name);

}  // namespace tally::onnx
