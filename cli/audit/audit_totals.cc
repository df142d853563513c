#include "cli/audit/audit_totals.h"

#include "base/error.h"
#include "base/strings.h"
#include "cli/audit/claim_lines.h"
#include "cli/labels.h"

namespace tally::cli {
namespace {

Json WordOf(const std::string& word, const std::string& label) {
  return {{"verdict", word.empty() ? Json() : Json(word)}, {"reason", label.empty() ? Json() : Json(label)}};
}

// "2 REPRODUCED, 1 DIVERGED"
std::string Counted(const std::map<std::string, int64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) absl::StrAppend(&text, text.empty() ? "" : ", ", count, " ", name);
  return text.empty() ? "none" : text;
}

}  // namespace

void AuditTotals::Add(const ReceiptRow& row) {
  ++receipts;
  if (row.standing.empty()) {
    ++refused;
    ++reasons[row.standing_label];
    return;
  }
  ++standing[row.standing];
  if (!row.standing_label.empty()) ++reasons[row.standing_label];
  if (row.run.empty()) {
    ++open;
    return;
  }
  ++runs[row.run];
  if (!row.run_label.empty()) ++reasons[row.run_label];
  if (!row.module) return;
  ModuleTotals& module = modules[*row.module];
  ++module.receipts;
  module.diverged += row.run == NameOf(Recomputation::kDiverged);
  module.micros += row.micros;
}

absl::Status AuditTotals::Failure() const {
  const auto count = [](const std::map<std::string, int64_t>& counts, std::string_view name) {
    const auto found = counts.find(std::string(name));
    return found == counts.end() ? 0 : found->second;
  };
  const int64_t refuted = count(standing, NameOf(Standing::kRefuted));
  const int64_t diverged = count(runs, NameOf(Recomputation::kDiverged));
  if (refuted == 0 && diverged == 0) return absl::OkStatus();
  return MakeError(label::audit_diverged,
                   absl::StrCat(diverged, " receipts DIVERGED, ", refuted, " REFUTED, of ", receipts));
}

void AuditTotals::AddTo(Summary& summary) const {
  summary.Add("receipts", "receipts", receipts);
  if (refused > 0) summary.Add("refused", "refused", refused, "files that cannot be read as receipts");
  if (open > 0) summary.Add("open", "open", open, "receipts whose claims are not audited yet");
  summary.Say("signed", Counted(standing), "standing", standing);
  summary.Say("runs", Counted(runs), "runs", runs);
  if (!reasons.empty()) summary.Say("reasons", Counted(reasons), "reasons", reasons);
  Json list = Json::array();
  for (const auto& [id, module] : modules) {
    list.push_back({{"module_id", ToHex(id)},
                    {"receipts", module.receipts},
                    {"diverged", module.diverged},
                    {"seconds", static_cast<double>(module.micros) / 1e6}});
  }
  summary.AddForMachines("modules", std::move(list));
}

Json LineOf(const ReceiptRow& row) {
  return {{"file", row.path},
          {"claim_id", HexOrNull(row.claim)},
          {"module_id", HexOrNull(row.module)},
          {"receipt", WordOf(row.standing, row.standing_label)},
          {"run", WordOf(row.run, row.run_label)},
          {"message", row.run_message.empty() ? row.message : row.run_message}};
}

}  // namespace tally::cli
