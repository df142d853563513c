#include "frontends/graph/testing/import_laws.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace tally::frontend {
namespace {

absl::Status CheckReport(const absl::StatusOr<ModelReport>& report, const absl::Status& import) {
  if (!report.ok()) {
    if (report.status() == import) return absl::OkStatus();
    return absl::InternalError(absl::StrCat("the report is refused (", report.status().ToString(),
                                            "), the import is ", import.ToString()));
  }
  if (report->imports() != import.ok()) {
    return absl::InternalError(absl::StrCat("the report does not say so: ", import.ToString()));
  }
  if (import.ok()) return absl::OkStatus();
  const auto is_it = [&](const absl::Status& why) { return why == import; };
  const auto refused = std::ranges::find(report->layers, LayerReport::kRefused, &LayerReport::fate);
  if (std::ranges::any_of(report->others, is_it) || (refused != report->layers.end() && is_it(refused->why)))
    return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the report does not begin with: ", import.ToString()));
}

}  // namespace

absl::Status CheckImportLaws(const absl::StatusOr<quant::Graph>& import,
                             const absl::StatusOr<ModelReport>& report, std::string_view own_labels) {
  if (import.ok()) {
    RETURN_IF_ERROR(quant::Verify(*import));
  } else if (const std::string label(ErrorLabel(import.status()));
             !label.starts_with("model_") && !label.starts_with(own_labels)) {
    return absl::InternalError(
        absl::StrCat("refused without a label of its own: ", import.status().ToString()));
  }
  return CheckReport(report, import.status());
}

}  // namespace tally::frontend
