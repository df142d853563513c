// The claims of a work list, audited by another program: it reads claims as lines, and writes findings as
// lines, in any order (docs/spec/audit.md#many-machines). `python3 -m tally.dask` is one.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/audit/work_list.h"

namespace tally::cli {

// Gives all open claims to `command`, until none is open. If it ends too early, the claims that it has not
// answered are open again. Errors: work_list, audit_lines, audit_disagrees; audit_executor, if the program
// cannot start, fails, or ends too early.
absl::Status AuditByExecutor(WorkList& list, const std::vector<std::string>& command);

}  // namespace tally::cli
