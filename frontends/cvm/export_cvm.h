// Modules of profile cvm as CVM models: what ImportCvm reads back, and cvm-runtime loads.
//
//   ASSIGN_OR_RETURN(const cvm::ModelFiles files, cvm::ExportCvm(valid));
//   RETURN_IF_ERROR(WriteFileAtomically("params.bin", files.params));
//
// Version cvm_1.0.0 without a postprocess: what an import made of one is a part of the graph by now. Each
// value has a buffer of its own. Importing the files again gives a module that computes the same, and the
// same module where it came from an import. Names are lost: CVM calls its input `data`. So are bounds of the
// input that are no precision; the model takes the precision that holds them.
//
// Errors: cvm_export   the module is not of profile cvm, or has not exactly one parameter and one result
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/valid_module.h"

namespace tally::cvm {

struct ModelFiles {
  std::string graph;  // JSON
  std::vector<uint8_t> params;
};

absl::StatusOr<ModelFiles> ExportCvm(const ValidModule& module);

}  // namespace tally::cvm
