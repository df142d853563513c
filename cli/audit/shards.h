// The claims of a work list in files for the jobs of a cluster, and the verdicts that the jobs write.
//
//   tally audit receipts --work audit.db --shards jobs        jobs/0.claims, jobs/1.claims, ..
//   tally audit-shard jobs/0.claims --store store             jobs/0.verdicts
//   tally audit receipts --work audit.db --merge jobs
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/audit/work_list.h"

namespace tally::cli {

// Writes the open claims, at most `most` of one module into each file, and returns the number of files.
// Errors: audit_shards, if the folder has some already; those of WriteFileAtomically.
absl::StatusOr<int64_t> WriteShards(WorkList& list, const std::string& folder, int64_t most);

// The claims of a file. Errors: those of ReadFile; audit_lines, also if there are none.
absl::StatusOr<std::vector<OpenClaim>> ReadShard(const std::string& path);

// Writes the verdicts of all claims of a list, and returns the bytes of the file.
absl::StatusOr<size_t> WriteVerdicts(WorkList& list, const std::string& path);

struct Merged {
  int64_t files = 0, verdicts = 0;
};
// Records the verdicts of all files *.verdicts in a folder. Errors: those of ReadFile; audit_lines;
// audit_disagrees.
absl::StatusOr<Merged> MergeVerdicts(WorkList& list, const std::string& folder);

}  // namespace tally::cli
