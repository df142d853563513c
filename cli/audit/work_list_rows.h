// Columns of a work list as what they mean.
#pragma once

#include "base/hash/digest.h"
#include "base/sqlite/database.h"
#include "cli/audit/work_list.h"

namespace tally::cli {

// 32 bytes, or fewer with zeros after them.
Digest DigestIn(const Statement& row, int column);

// A row (id, module, claim, path, traced, owner, until, tries). Errors: those of DecodeClaim.
absl::StatusOr<OpenClaim> OpenClaimIn(const Statement& row);

}  // namespace tally::cli
