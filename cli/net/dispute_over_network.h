// `tally dispute` with another program: the challenger, and the asserter of a folder.
#pragma once

#include <ostream>

#include "absl/status/status.h"
#include "cli/net/dispute_options.h"

namespace tally::cli {

absl::Status DisputeOverNetwork(const DisputeOptions& options, std::ostream& out);

}  // namespace tally::cli
