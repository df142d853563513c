// Models of cvm-runtime, which `tally import` reads from two files.
#pragma once

#include <ostream>
#include <string>

#include "absl/status/status.h"

namespace tally::cli {

struct ImportCvmOptions {
  std::string graph;   // JSON
  std::string params;  // binary
  std::string output;
  bool json = false;
};
// Writes the module, and its origin beside it. Errors: option_syntax without an output; those of
// cvm::ImportCvm.
absl::Status ImportCvmModel(const ImportCvmOptions& options, std::ostream& out);

}  // namespace tally::cli
