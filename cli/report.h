// How a command ends: an exit code, and one line when it was refused.
#pragma once

#include <functional>
#include <ostream>

#include "absl/status/status.h"
#include "cli/json_output.h"

namespace tally::cli {

// Runs `command` and returns its status; exceptions become labelled errors: out_of_memory, where memory or
// room for a thread was short, else internal.
absl::Status WithoutExceptions(const std::function<absl::Status()>& command);

// `status` with what the command found out before it was refused, for machines: Report gives both in one
// document.
absl::Status WithReport(absl::Status status, const Json& report);

// Writes `error[LABEL]: message` to `err`, as one printable line, and for machines also {"error": {"label":
// ..., "stage": ..., "message": ...}} to `out`, beside what WithReport was given. The exit code: 0 for OK, 2
// for label usage, 1 for every other.
int Report(const absl::Status& status, bool json, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
