// Reads the text form of a module (docs/spec/text.md).
//
//   ASSIGN_OR_RETURN(Module module, Assemble("tally 1\nprofile core\n"
//                                            "param %0 \"x\" [3] in [-5, 5]\n"
//                                            "%1 = relu %0\n"
//                                            "result %1 \"y\"\n"));
//
// Assemble(Print(m)) == m for every well-formed m, and what assembles is well-formed (serializer/encode.h),
// not yet valid. Errors: the labels of vm/text/labels.h, with line and column. Memory is proportional
// to the text.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "vm/module.h"

namespace tally {

// The module owns its constants; `text` is no longer needed.
absl::StatusOr<Module> Assemble(std::string_view text);

}  // namespace tally
