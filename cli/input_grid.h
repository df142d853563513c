// The --input-grid option.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "quant/lower/assign_types.h"

namespace tally::cli {

// "NAME=SCALE,ZERO,LO,HI": integers x in [LO, HI] represent SCALE * (x - ZERO). SCALE is a decimal or a
// fraction such as 1/16. Error option_syntax.
absl::StatusOr<quant::InputFormat> ParseInputGrid(const std::string& text);

}  // namespace tally::cli
