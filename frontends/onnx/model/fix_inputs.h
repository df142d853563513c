// Graph inputs that are constants of one import: they become initializers of the file, so that no importer
// knows them apart.
//
//   RETURN_IF_ERROR(FixInputs({.values = {{"sr", {16000}}}}, graph));
#pragma once

#include "absl/status/status.h"
#include "frontends/onnx/model/open_model.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

// Those of `given.values`, and empty tensors: those to which `given.shapes` gives a dimension of 0. Errors:
// model_shape, where there is no such input or the numbers are neither one nor as many as its elements;
// model_unsupported_type, where a number is none of its type; model_too_large; those of ShapeOfInput.
absl::Status FixInputs(const frontend::GivenInputs& given, ::onnx::GraphProto& graph);

}  // namespace tally::onnx
