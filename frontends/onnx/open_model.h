// What every import of an ONNX file begins with.
//
//   ASSIGN_OR_RETURN(const std::unique_ptr<OpenedModel> model, OpenModel(file_bytes, "models"));
//   ASSIGN_OR_RETURN(const auto dims, ShapeOfInput(model->proto.graph().input(0), {.batch = 8}));
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

constexpr int64_t kFirstOpset = 7;
constexpr int64_t kLastOpset = 21;

struct OpenedModel {
  ::onnx::ModelProto proto;
  int64_t opset = 0;   // of the default operator set
  uint64_t bytes = 0;  // of the file, and of tensors in files beside it
};

// `folder` has the files of tensors outside of the model; where it is empty, they are refused.
// Errors: those of ReadExternalData (external_data.h); onnx_size, onnx_parse, onnx_unsupported_ir_version, onnx_unsupported_opset; onnx_malformed for no default operator set,
// or two.
absl::StatusOr<std::unique_ptr<OpenedModel>> OpenModel(std::span<const uint8_t> bytes,
                                                       const std::string& folder);

// Dimensions that a file leaves open.
struct InputShapes {
  int64_t batch = 1;  // the first one of each input
  std::map<std::string, std::vector<int64_t>>
      shapes;  // of inputs by name; they agree with what the file says
};

// Errors: onnx_shape, where the file has no shape or leaves a dimension open that nothing fixes.
absl::StatusOr<std::vector<int64_t>> ShapeOfInput(const ::onnx::ValueInfoProto& input,
                                                  const InputShapes& shapes);

// The inputs that a run gives: those that are no initializers.
std::vector<const ::onnx::ValueInfoProto*> InputsOf(const ::onnx::GraphProto& graph);

// Errors: onnx_shape, where `shapes` names none of the inputs.
absl::Status CheckNames(const InputShapes& shapes, std::span<const ::onnx::ValueInfoProto* const> inputs);

}  // namespace tally::onnx
