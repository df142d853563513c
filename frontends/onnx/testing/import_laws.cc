#include "frontends/onnx/testing/import_laws.h"

#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/onnx/import_onnx.h"
#include "quant/graph/graph.h"

namespace tally::onnx {
namespace {

absl::Status CheckReport(std::span<const uint8_t> bytes, const absl::Status& import) {
  const auto report = CheckOnnx(bytes);
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
  const auto refused =
      std::ranges::find(report->layers, frontend::LayerReport::kRefused, &frontend::LayerReport::fate);
  if (std::ranges::any_of(report->others, is_it) || (refused != report->layers.end() && is_it(refused->why)))
    return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the report does not begin with: ", import.ToString()));
}

}  // namespace

absl::Status CheckImportLaws(std::span<const uint8_t> bytes) {
  const auto graph = ImportOnnx(bytes);
  if (graph.ok()) {
    RETURN_IF_ERROR(quant::Verify(*graph));
  } else if (const std::string label(ErrorLabel(graph.status()));
             !label.starts_with("model_") && !label.starts_with("onnx_")) {
    return absl::InternalError(
        absl::StrCat("refused without a label of its own: ", graph.status().ToString()));
  }
  return CheckReport(bytes, graph.status());
}

}  // namespace tally::onnx
