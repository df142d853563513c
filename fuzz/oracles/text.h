// Laws of the text form.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "vm/valid_module.h"

namespace tally {

// OK when `text` is refused with a label of the assembler, or assembles to a module that both the text form
// and the binary form give back.
absl::Status CheckAssembling(std::string_view text);

// OK when assembling what is printed of `module`, with and without the comments of a valid module, gives it
// back.
absl::Status CheckPrinting(const ValidModule& module);

}  // namespace tally
