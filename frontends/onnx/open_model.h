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

struct OpenedModel {
  ::onnx::ModelProto proto;
  int64_t opset = 0;   // for the default operator set
  uint64_t bytes = 0;  // for the file, and for tensors in files beside it
};

// `folder` has the files of tensors outside of the model; where it is empty, they are refused. Its nodes are
// in an order in which each comes after those that it reads, where there is one. Errors: those of
// ReadExternalData (external_data.h); onnx_size, onnx_parse, onnx_unsupported_ir_version,
// onnx_unsupported_opset (also for operators of other domains alone); onnx_malformed for no operator set, or
// the default one twice.
absl::StatusOr<std::unique_ptr<OpenedModel>> OpenModel(std::span<const uint8_t> bytes,
                                                       const std::string& folder);

// What a user says of inputs, under their names as printed (base/printable.h).
struct GivenInputs {
  int64_t batch = 1;  // the first one of each input
  std::map<std::string, std::vector<int64_t>>
      shapes;  // they agree with what the file says; an input with a dimension of 0 is an empty constant
  std::map<std::string, std::vector<double>>
      values;  // inputs that are constants: one number for all elements, or as many as there are
};

// Errors: onnx_open_dimension, where the file has no shape or leaves a dimension open that nothing fixes;
// onnx_shape, where what is given contradicts it.
absl::StatusOr<std::vector<int64_t>> ShapeOfInput(const ::onnx::ValueInfoProto& input,
                                                  const GivenInputs& shapes);

// Whether the shape that a file declares is `dims`, of which -1 fits all, as do dimensions that the file
// leaves open.
bool FitsDeclared(const ::onnx::TensorShapeProto& declared, std::span<const int64_t> dims);

// The inputs that a run gives: those that are no initializers.
std::vector<const ::onnx::ValueInfoProto*> InputsOf(const ::onnx::GraphProto& graph);

// Errors: onnx_shape, where shapes are given to none of the inputs.
absl::Status CheckNames(const GivenInputs& given, std::span<const ::onnx::ValueInfoProto* const> inputs);

// The name of an input or output as a module has it: printable, and not empty. Errors: onnx_name, where it is
// too long.
absl::StatusOr<std::string> ServedName(const std::string& name);

}  // namespace tally::onnx
