// The findings of an audit, summed up.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "base/hash/digest.h"
#include "cli/audit/work_list.h"
#include "cli/json_output.h"
#include "cli/summary.h"

namespace tally::cli {

struct ModuleTotals {
  int64_t receipts = 0, diverged = 0;
  int64_t micros = 0;  // spent on their claims; one with several receipts counts for each
};

struct AuditTotals {
  int64_t receipts = 0, refused = 0;        // refused: files that cannot be read as receipts
  int64_t open = 0;                         // receipts whose claims are not audited yet
  std::map<std::string, int64_t> standing;  // VERIFIED, ..
  std::map<std::string, int64_t> runs;      // REPRODUCED, ..
  std::map<std::string, int64_t> reasons;   // labels of all that is neither VERIFIED nor REPRODUCED
  std::map<Digest, ModuleTotals> modules;

  void Add(const ReceiptRow& row);
  // Error audit_diverged: a receipt is REFUTED, or its run DIVERGED.
  absl::Status Failure() const;
  void AddTo(Summary& summary) const;
};

// A line of JSON for a receipt, without a line end.
Json LineOf(const ReceiptRow& row);

}  // namespace tally::cli
