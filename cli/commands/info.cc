// tally info: a module, a model, or this build.
#include "base/cpu_flags.h"
#include "base/error.h"
#include "base/hash/digest.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/json_output.h"
#include "cli/model_files.h"
#include "cli/version.h"
#include "engines/cpu_flags_of.h"
#include "engines/engine.h"
#include "serializer/labels.h"
#include "serializer/load_module.h"
#include "serializer/module_id.h"
#include "vm/limits.h"

namespace tally::cli {
namespace {

struct InfoOptions {
  std::string file;  // a module or a model; about the tool itself when empty
  bool json = false;
};

Json InfoOfValue(const ValueInfo& info) {
  Json json = {{"name", info.name}};
  if (info.quantization.has_value()) {
    const Quantization& q = *info.quantization;
    json["scale"] = std::to_string(q.multiplier) + " * 2^" + std::to_string(-q.shift);
    json["zero_point"] = q.zero_point;
  }
  return json;
}

Json AboutModule(const Module& module) {
  Json params = Json::array(), results = Json::array();
  for (size_t i = 0; i < module.metadata.params.size(); ++i) {
    params.push_back(InfoOfValue(module.metadata.params[i]));
    if (i < module.entry().params.size()) params.back()["type"] = module.entry().params[i].ToString();
  }
  for (const ValueInfo& info : module.metadata.results) results.push_back(InfoOfValue(info));
  size_t instructions = 0;
  for (const Function& function : module.functions) instructions += function.body.size();
  int64_t constant_bytes = 0;
  for (const TensorView& constant : module.constants) constant_bytes += constant.size_bytes();
  return {{"module_id", ToHex(ModuleId(module))},
          {"profile", ProfileName(module.profile)},
          {"spec_version", module.spec_version},
          {"functions", module.functions.size()},
          {"instructions", instructions},
          {"constants", module.constants.size()},
          {"constant_bytes", constant_bytes},
          {"params", params},
          {"results", results}};
}

absl::StatusOr<Json> AboutTool() {
  ASSIGN_OR_RETURN(const CpuFlags flags, CpuFlagsOf(""));
  Json engines = Json::array();
  for (const EngineInfo& engine : AllEngines()) {
    engines.push_back({{"name", engine.name}, {"available", engine.available}, {"summary", engine.summary}});
  }
  return Json{{"tool", "tally"},
              {"version", kVersion},
              {"spec_version", kSpecVersion},
              {"format_version", kModuleFormatVersion},
              {"operators", AllOps().size()},
              {"engines", engines},
              {"levels", CpuLevelsOf(flags)}};
}

// One "key: value" line for each scalar, nested objects indented below their key.
void PrintPlain(const Json& json, int indent, std::ostream& out) {
  for (const auto& [key, value] : json.items()) {
    const std::string pad(static_cast<size_t>(indent), ' ');
    if (value.is_structured()) {
      out << pad << key << ":\n";
      PrintPlain(value, indent + 2, out);
    } else {
      out << pad << key << ": " << (value.is_string() ? Printable(value.get<std::string>()) : value.dump())
          << "\n";
    }
  }
}

absl::Status ShowInfo(const InfoOptions& options, std::ostream& out) {
  Json about;
  if (options.file.empty()) {
    ASSIGN_OR_RETURN(about, AboutTool());
  } else {
    const absl::StatusOr<Module> module = LoadModule(options.file);
    if (HasLabel(module.status(), label::bad_magic)) {
      const auto shown = KnownModelFiles().show(options.file, options.json, out);
      if (shown.has_value()) return *shown;
    }
    RETURN_IF_ERROR(module.status());
    about = AboutModule(*module);
  }
  if (options.json) {
    PrintJson(about, out);
  } else {
    PrintPlain(about, 0, out);
  }
  return absl::OkStatus();
}

}  // namespace

void AddInfoCommand(CommandLine& line) {
  auto& options = line.Keep<InfoOptions>();
  auto* info = line.app.add_subcommand(
      "info", "describe a module, a model of another framework, or this build and its engines");
  line.Reads(info->add_option("file", options.file, "module, or model of another framework"));
  line.ForMachines(*info, options.json);
  line.Calls(*info, options, ShowInfo);
}

}  // namespace tally::cli
