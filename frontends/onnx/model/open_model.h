// The first steps of every import of an ONNX file.
//
//   ASSIGN_OR_RETURN(const std::unique_ptr<OpenedModel> model, OpenModel(file_bytes, "models"));
//   DeclaredBy(model->proto.graph().input(0));
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/interface.h"
#include "frontends/onnx/model/dialect.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

struct OpenedModel {
  ::onnx::ModelProto proto;
  int64_t opset = 0;               // for the default operator set
  uint64_t bytes = 0;              // for the file, and for tensors in files beside it
  std::vector<std::string> files;  // paths of those, ascending
};

// `folder` has the files of tensors outside of the model; where it is empty, they are refused. Its nodes are
// in an order in which each comes after those that it reads, where there is one. Errors: those of
// ReadExternalData (external_data.h); onnx_size, onnx_parse, onnx_unsupported_ir_version,
// onnx_unsupported_opset (also for operators of other domains alone); model_malformed for no operator set, or
// the default one twice. What a file of the NHWC dialect says of operator sets is not read.
absl::StatusOr<std::unique_ptr<OpenedModel>> OpenModel(std::span<const uint8_t> bytes,
                                                       const std::string& folder,
                                                       Dialect dialect = Dialect::kStandard);

// The shape that the file declares of an input or output.
frontend::DeclaredShape DeclaredBy(const ::onnx::ValueInfoProto& value);

// The inputs that a run gives: those that are no initializers.
std::vector<const ::onnx::ValueInfoProto*> InputsOf(const ::onnx::GraphProto& graph);

// Their names.
std::vector<std::string> NamesOf(std::span<const ::onnx::ValueInfoProto* const> inputs);

}  // namespace tally::onnx
