// The evidence and the findings of tally.h.
#pragma once

#include <optional>
#include <string>

#include "api/c/call.h"
#include "base/error.h"
#include "proof/audit/auditor.h"
#include "proof/verify/verify_receipt.h"

namespace tally::api {

// 32 bytes of the caller, or nothing where it is null.
std::optional<Digest> DigestAt(const uint8_t* bytes);

// Errors: api_handle; those of OriginFromJson; certificate_size.
absl::StatusOr<Evidence> ReadEvidence(const tally_evidence* given);

// TALLY_COMPARED_...
uint32_t BitsOf(const Compared& compared);

// A finding of `verdict`.
template <typename Word>
absl::Status WriteFinding(const Finding<Word>& finding, const Verdict& verdict, tally_finding* to) {
  tally_finding written = {.size = 0, .holds = finding.why.ok() ? 1 : 0};
  CopyText(NameOf(finding.word), written.word);
  CopyText(ErrorLabel(finding.why), written.label);
  const std::string message(finding.why.ok() ? verdict.certificate : std::string(finding.why.message()));
  CopyText(message, written.message);
  written.compared = BitsOf(verdict.compared);
  written.may_pass = !finding.why.ok() && Auditor::MayPass(finding.why) ? 1 : 0;
  return WriteStruct(written, to);
}

}  // namespace tally::api
