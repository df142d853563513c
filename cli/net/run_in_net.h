// The commands that speak over a network are in a program of their own, tally-net, beside this one: `tally`
// itself opens no connection, and runs where the libraries of servers are missing.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace tally::cli {

// Runs tally-net with these arguments in place of this program. Returns only where it cannot: error usage.
absl::Status RunInNet(const std::vector<std::string>& arguments);

}  // namespace tally::cli
