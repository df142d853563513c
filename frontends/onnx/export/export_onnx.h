// Modules as ONNX models over integers, opset 17, of ONNX's own operators: for viewers, for other runtimes,
// and to be checked by one that is not ours.
//
//   const ExportedOnnx exported = ExportOnnx(valid);
//   ASSIGN_OR_RETURN(const std::string file, OnnxFile(exported));
//
// Where ONNX defines its operators exactly, a run of the model gives the integers of the module. Inputs and
// outputs have their names and the type of their storage, int8 to int64; a grid is in their doc_string.
// Functions that are called are written where they are called. The exact importer reads the file again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "third_party/onnx/onnx.pb.h"
#include "vm/valid_module.h"

namespace tally::onnx {

struct ExportedOnnx {
  ::onnx::ModelProto model;  // complete when nothing is refused
  int64_t instructions = 0;  // but constants and calls; those of a function as often as it is called
  int64_t exact = 0;         // those with an exact form
  // By name of the operator and reason, how many instructions.
  std::map<std::pair<std::string, std::string>, int64_t> refused;
};

ExportedOnnx ExportOnnx(const ValidModule& module);

// The bytes of the model. Errors: onnx_export, with all that is refused, counts and reasons; onnx_size where
// protobuf could not read them.
absl::StatusOr<std::string> OnnxFile(const ExportedOnnx& exported);

}  // namespace tally::onnx
