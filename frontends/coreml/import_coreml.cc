#include "frontends/coreml/import_coreml.h"

#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/coreml_import.h"
#include "frontends/coreml/model_file.h"

namespace tally::coreml {

absl::StatusOr<Network> ImportCoreml(std::span<const uint8_t> file, const GivenInputs& given) {
  ASSIGN_OR_RETURN(const std::unique_ptr<schema::Model> model, ReadModelFile(file));
  CoremlImport import(*model, std::ssize(file), given, nullptr);
  RETURN_IF_ERROR(import.Run());
  return std::move(import).Build();
}

absl::StatusOr<ModelReport> CheckCoreml(std::span<const uint8_t> file, const GivenInputs& given) {
  ASSIGN_OR_RETURN(const std::unique_ptr<schema::Model> model, ReadModelFile(file));
  ModelReport report = {.format = absl::StrCat("Core ML, specification ", model->specification_version(),
                                               ", ", KindOf(*model))};
  CoremlImport import(*model, std::ssize(file), given, &report);
  RETURN_IF_ERROR(import.Run());
  if (!report.imports()) return report;
  if (const auto graph = std::move(import).Build(); !graph.ok()) report.others.push_back(graph.status());
  return report;
}

}  // namespace tally::coreml
