// `tally dispute` on a chain: the challenger of a claim, and the asserter of a folder.
#pragma once

#include <ostream>

#include "absl/status/status.h"
#include "cli/net/dispute_options.h"

namespace tally::cli {

absl::Status DisputeOnChain(const DisputeOptions& options, std::ostream& out);

}  // namespace tally::cli
