#include "cli/audit/audit_page.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <map>
#include <utility>

#include "base/printable.h"
#include "base/strings.h"
#include "cli/layers/markup.h"
#include "proof/verify/verify_receipt.h"

namespace tally::cli {
namespace {

constexpr char kStyle[] = R"(
body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:76em;padding:0 1em;color:#222}
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}code{font-size:.92em;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}th,td{padding:.25em .6em;text-align:left;border-bottom:1px solid #ddd;vertical-align:top;overflow-wrap:anywhere}
.n{text-align:right;white-space:nowrap}svg{display:block;max-width:100%;height:auto}
svg text{font:11px system-ui,sans-serif;fill:#222}.legend span{display:inline-block;margin-right:1.5em}
.legend i{display:inline-block;width:.8em;height:.8em;margin-right:.4em;border-radius:2px}
)";

// Green for what holds, red for what convicts, grey for what nobody knows.
const char* ColorOfWord(std::string_view word) {
  if (word == NameOf(Standing::kVerified) || word == NameOf(Recomputation::kReproduced)) return "#3a9d5d";
  if (word == NameOf(Standing::kRefuted) || word == NameOf(Recomputation::kDiverged)) return "#c8402f";
  return "#9a9a9a";
}

std::string Share(int64_t count, int64_t total) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", 100 * static_cast<double>(count) / static_cast<double>(total));
  return text;
}

// One bar of all receipts, and under it what its parts are.
std::string Bar(const std::string& title, const std::map<std::string, int64_t>& counts) {
  constexpr double kWidth = 720;
  int64_t total = 0;
  for (const auto& [word, count] : counts) total += count;
  if (total == 0) return "";
  std::string svg = absl::StrCat(
      "<h2>", title, "</h2><svg role=\"img\" width=\"720\" height=\"28\" viewBox=\"0 0 720 28\">");
  std::string legend = "<p class=\"legend\">";
  double x = 0;
  for (const auto& [word, count] : counts) {
    const double width = kWidth * static_cast<double>(count) / static_cast<double>(total);
    absl::StrAppend(&svg, "<rect x=\"", Coordinate(x), "\" y=\"0\" width=\"",
                    Coordinate(std::max(width, 2.0)), "\" height=\"28\" fill=\"", ColorOfWord(word), "\"/>");
    absl::StrAppend(&legend, "<span><i style=\"background:", ColorOfWord(word), "\"></i>", word, " ", count,
                    ", ", Share(count, total), "</span>");
    x += width;
  }
  return svg + "</svg>" + legend + "</p>\n";
}

// "8 us", "1.0 ms", "21 s"
std::string Duration(double micros) {
  const auto [value, unit] = micros < 1e3   ? std::pair(micros, "us")
                             : micros < 1e6 ? std::pair(micros / 1e3, "ms")
                                            : std::pair(micros / 1e6, "s");
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.1f %s" : "%.0f %s", value, unit);
  return text;
}

std::string Cell(const std::string& text) { return "<td>" + text + "</td>"; }
std::string Number(const std::string& text) { return "<td class=\"n\">" + text + "</td>"; }

std::string ModulesTable(const AuditTotals& totals) {
  if (totals.modules.empty()) return "";
  std::string table =
      "<h2>Modules</h2><table><thead><tr><th>module</th><th class=\"n\">receipts</th><th "
      "class=\"n\">DIVERGED</th>"
      "<th class=\"n\">time</th><th class=\"n\">time of one</th></tr></thead><tbody>\n";
  for (const auto& [id, module] : totals.modules) {
    const auto micros = static_cast<double>(module.micros);
    table += "<tr>" + Cell("<code>" + ToHex(id) + "</code>") + Number(std::to_string(module.receipts)) +
             Number(std::to_string(module.diverged)) + Number(Duration(micros)) +
             Number(Duration(micros / static_cast<double>(module.receipts))) + "</tr>\n";
  }
  return table + "</tbody></table>\n";
}

std::string ReasonsTable(const AuditTotals& totals) {
  if (totals.reasons.empty()) return "";
  std::string table =
      "<h2>Reasons</h2><table><thead><tr><th>label</th><th class=\"n\">receipts</th></tr></thead><tbody>\n";
  for (const auto& [label, count] : totals.reasons)
    table += "<tr>" + Cell("<code>" + Escaped(label) + "</code>") + Number(std::to_string(count)) + "</tr>\n";
  return table + "</tbody></table>\n";
}

}  // namespace

void AuditPage::Add(const ReceiptRow& row) {
  if (!row.run.empty() && row.micros > 0) {
    const auto bin = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(row.micros)) - 1);
    ++times_[std::min(bin, times_.size() - 1)];
  }
  if (row.standing == NameOf(Standing::kVerified) && row.run == NameOf(Recomputation::kReproduced)) return;
  ++to_look_at_;
  if (rows_.size() < kMostRows) rows_.push_back(row);
}

std::string AuditPage::TimesPicture() const {
  const auto counted = [](int64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(times_, counted);
  if (first == times_.end()) return "";
  const auto end = std::find_if(times_.rbegin(), times_.rend(), counted).base();
  constexpr double kHeight = 120, kBin = 44, kTop = 16;
  const double width = std::max(kBin * static_cast<double>(end - first) + 30, 200.0);
  const double largest = static_cast<double>(std::ranges::max(times_));
  std::string svg = absl::StrCat("<h2>Time for a claim</h2><svg role=\"img\" width=\"", Coordinate(width),
                                 "\" height=\"160\" viewBox=\"0 0 ", Coordinate(width), " 160\">");
  for (auto bin = first; bin != end; ++bin) {
    const double x = kBin * static_cast<double>(bin - first),
                 height = kHeight * static_cast<double>(*bin) / largest;
    absl::StrAppend(&svg, "<rect x=\"", Coordinate(x), "\" y=\"", Coordinate(kTop + kHeight - height),
                    "\" width=\"", Coordinate(kBin - 2), "\" height=\"", Coordinate(height),
                    "\" fill=\"#6b8fc9\"/>");
    if (*bin > 0) {
      absl::StrAppend(&svg, "<text x=\"", Coordinate(x), "\" y=\"", Coordinate(kTop + kHeight - height - 3),
                      "\">", *bin, "</text>");
    }
    const double from = static_cast<double>(uint64_t{1} << (bin - times_.begin()));
    absl::StrAppend(&svg, "<text x=\"", Coordinate(x), "\" y=\"152\">", Duration(from), "</text>");
  }
  return svg +
         "</svg><p>Receipts by the time that the audit of their claim took, from the time under the bar to "
         "twice "
         "as long.</p>\n";
}

std::string AuditPage::Html(const AuditTotals& totals) const {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
      "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
      "<title>Audit</title><style>";
  page += kStyle;
  absl::StrAppend(&page, "</style></head><body>\n<h1>Audit of ", totals.receipts, " receipts</h1>\n");
  if (totals.refused > 0)
    absl::StrAppend(&page, "<p>", totals.refused, " files cannot be read as receipts.</p>\n");
  if (totals.open > 0)
    absl::StrAppend(&page, "<p>The claims of ", totals.open, " are not audited yet.</p>\n");
  page += Bar("Signatures", totals.standing) + Bar("Runs", totals.runs) + ReasonsTable(totals) +
          ModulesTable(totals) + TimesPicture();
  if (to_look_at_ > 0) {
    absl::StrAppend(
        &page, "<h2>To look at</h2>\n<p>", to_look_at_, " receipts are not VERIFIED and REPRODUCED",
        to_look_at_ > static_cast<int64_t>(rows_.size()) ? absl::StrCat("; the first ", rows_.size()) : "",
        ":</p><table><thead><tr><th>receipt</th><th>signature</th><th>run</th><th>why</th></tr></thead>"
        "<tbody>\n");
    for (const ReceiptRow& row : rows_) {
      const std::string& label = row.run_label.empty() ? row.standing_label : row.run_label;
      const std::string& message = row.run_message.empty() ? row.message : row.run_message;
      page += "<tr>" + Cell(Escaped(Printable(row.path))) + Cell(row.standing) + Cell(row.run) +
              Cell("<code>" + Escaped(label) + "</code> " + Escaped(Printable(message))) + "</tr>\n";
    }
    page += "</tbody></table>\n";
  }
  return page + "</body></html>\n";
}

}  // namespace tally::cli
