// The findings of an audit as a page: shares of verdicts, why they are not all good, how long claims take,
// and the receipts to look at.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/audit/audit_totals.h"
#include "cli/audit/work_list.h"

namespace tally::cli {

class AuditPage {
 public:
  // The rows to look at that a page shows; it says how many there are in all.
  static constexpr size_t kMostRows = 1000;

  void Add(const ReceiptRow& row);

  // HTML with nothing outside it.
  std::string Html(const AuditTotals& totals) const;

 private:
  std::string TimesPicture() const;

  // Receipts by the time of their claim: bin i has those below 2^(i + 1) microseconds.
  std::array<int64_t, 40> times_ = {};
  std::vector<ReceiptRow> rows_;  // those that are not VERIFIED and REPRODUCED
  int64_t to_look_at_ = 0;
};

}  // namespace tally::cli
