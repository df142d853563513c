#include "frontends/openvino/import_openvino.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/openvino/ir_file.h"
#include "frontends/openvino/ir_import.h"

namespace tally::openvino {

bool IsIr(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              std::min<size_t>(bytes.size(), 4096));
  const size_t first = text.find('<');
  if (first == std::string_view::npos || text.find_first_not_of("\xef\xbb\xbf \t\r\n") != first) return false;
  return text.find("<net ") != std::string_view::npos;
}

absl::StatusOr<quant::Graph> ImportOpenVino(const IrFiles& files, const GivenInputs& given) {
  ASSIGN_OR_RETURN(const IrFile file, ReadIrFile(files.xml));
  IrImport import(file, files, given, nullptr);
  RETURN_IF_ERROR(import.Run());
  return std::move(import).Build();
}

absl::StatusOr<ModelReport> CheckOpenVino(const IrFiles& files, const GivenInputs& given) {
  ASSIGN_OR_RETURN(const IrFile file, ReadIrFile(files.xml));
  ModelReport report = {.format = absl::StrCat("OpenVINO, IR ", file.version)};
  IrImport import(file, files, given, &report);
  RETURN_IF_ERROR(import.Run());
  if (!report.imports()) return report;
  if (const auto graph = std::move(import).Build(); !graph.ok()) report.others.push_back(graph.status());
  return report;
}

}  // namespace tally::openvino
