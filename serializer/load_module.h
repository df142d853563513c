// A module from a file, mapped and used in place.
//
//   ASSIGN_OR_RETURN(Module module, LoadModule("model.tally"));
//   ASSIGN_OR_RETURN(const ValidModule valid, Validate(std::move(module)));
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "vm/module.h"

namespace tally {

// The module keeps the mapping alive (see serializer/mapped_file.h for what that asks of the file).
// Errors: file_open, file_size, file_map, and those of Decode.
absl::StatusOr<Module> LoadModule(const std::string& path);

}  // namespace tally
