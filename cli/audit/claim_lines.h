// Claims that others audit, and their findings, as lines of JSON (docs/spec/audit.md#many-machines).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cli/audit/work_list.h"
#include "cli/json_output.h"

namespace tally::cli {

Json HexOrNull(const std::optional<Digest>& digest);

// {"claim_id": .., "module_id": .., "claim": base64 of its bytes, "traced": ..}
std::string ClaimLine(const OpenClaim& open);
// Error audit_lines: the line has another form, or names another claim than it has.
absl::StatusOr<OpenClaim> ParseClaimLine(std::string_view line);

// {"claim_id": .., "run": {"verdict": .., "reason": ..}, "message": .., "traced": .., "trace": ..,
// "micros": .., "may_pass": ..}
std::string FoundLine(const FoundClaim& found);
// Error audit_lines.
absl::StatusOr<FoundClaim> ParseFoundLine(std::string_view line);

}  // namespace tally::cli
