// tally check: whether a model can be imported.
#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/json_output.h"
#include "cli/labels.h"
#include "cli/networks/load_network.h"
#include "cli/networks/model_report.h"
#include "cli/networks/network_options.h"
#include "cli/networks/suggest_options.h"
#include "cli/report.h"
#include "quant/lower/pinned_grids.h"

namespace tally::cli {
namespace {

struct CheckModelOptions {
  NetworkFile network;
  bool json = false;
};

// The calibration that each input needs.
Json WantsOf(const ServedNetwork& network) {
  Json wants = Json::array();
  for (const quant::ValueId id : network.graph.inputs) {
    const quant::Value& input = network.graph.values[id];
    const bool has_grid = std::ranges::any_of(
        network.inputs, [&](const quant::FoldedInput& i) { return i.format.name == input.name; });
    std::string what = "samples of floats (--calibrate)";
    if (has_grid) {
      what = "nothing: the file has its scale";
    } else if (input.interval.has_value()) {
      what = "samples of integers in " + input.interval->ToString() + " (--calibrate)";
    } else if (input.type.element == quant::ElementType::kInt64) {
      what = "samples of integers (--calibrate), which say what it may hold";
    }
    wants.push_back({{"input", input.name}, {"wants", what}});
  }
  return wants;
}

// Each thing to do once, below what it is for.
void PrintRefusals(const Json& refused, std::ostream& out) {
  constexpr size_t kMostShown = 20;
  std::map<std::string, std::vector<std::string>> by_advice;
  for (const Json& one : refused) {
    by_advice[one["advice"].get<std::string>()].push_back("error[" + one["label"].get<std::string>() +
                                                          "]: " + one["message"].get<std::string>());
  }
  for (const auto& [advice, messages] : by_advice) {
    out << "\n";
    for (size_t i = 0; i < std::min(messages.size(), kMostShown); ++i) out << Printable(messages[i]) << "\n";
    if (messages.size() > kMostShown)
      out << "and " << messages.size() - kMostShown << " more; --json lists all\n";
    if (!advice.empty()) out << "  to do: " << advice << "\n";
  }
}

// As a shell reads it.
std::string Quoted(const std::string& argument) {
  const bool is_plain = std::ranges::all_of(argument, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-./=,:+@%").find(c) != std::string_view::npos;
  });
  return is_plain ? argument : "'" + absl::StrReplaceAll(argument, {{"'", "'\\''"}}) + "'";
}

// The options to add, as a line for people and as arguments for machines; null where there are none.
Json SuggestionToJson(const Suggestion& suggestion) {
  if (suggestion.options.empty()) return nullptr;
  std::string line;
  for (const std::string& option : suggestion.options) line += (line.empty() ? "" : " ") + Quoted(option);
  return {{"line", line}, {"arguments", suggestion.options}, {"imports", suggestion.imports}};
}

void PrintSuggestion(const Json& suggestion, const std::string& path, std::ostream& out) {
  if (suggestion.is_null()) return;
  out << "\nsay what the file leaves open, with sizes of yours in the place of these guesses"
      << (suggestion["imports"].get<bool>() ? ", with which it imports" : "") << ":\n  tally check "
      << Printable(Quoted(path)) << " " << suggestion["line"].get<std::string>() << "\n";
}

// The outcome of `quantize` without --calibrate.
std::string WithoutSamples(const ServedNetwork& network) {
  const size_t open = quant::ValuesToCalibrate(network.graph, network.formats()).size();
  return open == 0
             ? "works: the file has every scale that is needed"
             : absl::StrCat("is refused: ", open, " values have no scale in the file, and need samples");
}

absl::Status CheckModel(const CheckModelOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const frontend::ImportOptions import, ImportOptionsOf(options.network));
  ASSIGN_OR_RETURN(const LoadedModel model, LoadModel(options.network.path));
  ASSIGN_OR_RETURN(const frontend::ModelReport report, model.format->check(model.bytes, import));
  Json json = JsonOf(report);
  json["calibration"] = Json::array();
  json["options"] = nullptr;
  if (report.imports()) {
    ASSIGN_OR_RETURN(const ServedNetwork network, LoadNetwork(options.network, {}));
    json["calibration"] = WantsOf(network);
    json["without_samples"] = WithoutSamples(network);
  } else {
    json["options"] = SuggestionToJson(SuggestOptions(model, import, report));
  }
  const absl::Status verdict =
      report.imports() ? absl::OkStatus() : MakeError(label::model_refused, "the model does not import");
  if (options.json && !verdict.ok()) return WithReport(verdict, json);
  if (options.json) {
    PrintJson(json, out);
    return absl::OkStatus();
  }
  PrintModel(json, out);
  PrintRefusals(json["refused"], out);
  PrintSuggestion(json["options"], options.network.path, out);
  if (!report.imports()) return verdict;
  out << "\nit imports: `tally quantize` makes a module of it. Its inputs want\n";
  for (const Json& want : json["calibration"]) {
    out << "  " << want["input"].get<std::string>() << ": " << want["wants"].get<std::string>() << "\n";
  }
  out << "Without samples `tally quantize` " << json["without_samples"].get<std::string>() << "\n";
  return absl::OkStatus();
}

}  // namespace

void AddCheckCommand(CommandLine& line) {
  auto& options = line.Keep<CheckModelOptions>();
  auto* check = line.app.add_subcommand(
      "check",
      "check whether a model can be imported; list what prevents it and what samples its inputs need");
  AddNetworkOptions(line, *check, options.network);
  line.ForMachines(*check, options.json);
  line.Calls(*check, options, CheckModel);
}

}  // namespace tally::cli
