// The work of `tally audit`: receipts are read into a work list, and its claims audited, by several threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/audit/receipt_files.h"
#include "cli/audit/work_list.h"
#include "proof/audit/auditor.h"
#include "proof/receipt/ed25519.h"

namespace tally::cli {

// Adds the receipts in these files, with the findings on their signatures; files that the list has stay as
// they are. A file that is no receipt is a row too. Error work_list.
absl::Status ListReceipts(std::span<const FoundReceipt> files, std::span<const PublicKey> keys, int threads,
                          WorkList& list);

// Audits all open claims of the list, until none is open, here or in another process. Errors: work_list,
// audit_disagrees.
absl::Status AuditClaims(WorkList& list, Auditor& auditor, LooseFiles& loose, int threads);

}  // namespace tally::cli
