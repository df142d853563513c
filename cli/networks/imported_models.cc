#include "cli/networks/imported_models.h"

#include "base/error.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "cli/json_output.h"
#include "cli/networks/load_network.h"
#include "cli/networks/model_report.h"
#include "frontends/formats.h"
#include "frontends/graph/labels.h"

namespace tally::cli {
namespace {

std::optional<std::string> FormatNameOf(const std::string& path) {
  const auto file = frontend::ModelFileAt(path);
  const auto bytes = file.ok() ? ReadFile(*file) : file.status();
  const auto format = bytes.ok() ? frontend::FormatOf(*bytes) : bytes.status();
  if (!format.ok()) return std::nullopt;
  return std::string((*format)->name);
}

// Without shapes that the file leaves open: a report says what is in the way.
absl::Status ShowModel(const std::string& path, const LoadedModel& model, bool as_json, std::ostream& out) {
  ASSIGN_OR_RETURN(const frontend::ImportOptions import, ImportOptionsOf({.path = path}));
  ASSIGN_OR_RETURN(const frontend::ModelReport report, model.format->check(model.bytes, import));
  const Json json = cli::JsonOf(report);
  if (as_json) {
    PrintJson(json, out);
    return absl::OkStatus();
  }
  PrintModel(json, out);
  out << (report.imports() ? "it imports\n" : "`tally check` lists what is not imported\n");
  return absl::OkStatus();
}

std::optional<absl::Status> ShowModelFile(const std::string& path, bool json, std::ostream& out) {
  const auto model = LoadModel(path);
  if (model.ok()) return ShowModel(path, *model, json, out);
  if (HasLabel(model.status(), label::model_format)) return std::nullopt;
  return model.status();
}

}  // namespace

ModelFiles ImportedModels() { return {.format = FormatNameOf, .show = ShowModelFile}; }

}  // namespace tally::cli
