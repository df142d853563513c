#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/json_output.h"
#include "cli/labels.h"
#include "cli/load_network.h"
#include "cli/model_report.h"
#include "cli/report.h"

namespace tally::cli {
namespace {

// What each input is calibrated with.
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

}  // namespace

absl::Status CheckModel(const CheckModelOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const frontend::ImportOptions import, ImportOptionsOf(options.network));
  ASSIGN_OR_RETURN(const LoadedModel model, LoadModel(options.network.path));
  ASSIGN_OR_RETURN(const frontend::ModelReport report, model.format->check(model.bytes, import));
  Json json = JsonOf(report);
  json["calibration"] = Json::array();
  if (report.imports()) {
    ASSIGN_OR_RETURN(const ServedNetwork network, LoadNetwork(options.network, {}));
    json["calibration"] = WantsOf(network);
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
  if (!report.imports()) return verdict;
  out << "\nit imports: `tally quantize` makes a module of it. Its inputs want\n";
  for (const Json& want : json["calibration"]) {
    out << "  " << want["input"].get<std::string>() << ": " << want["wants"].get<std::string>() << "\n";
  }
  return absl::OkStatus();
}

}  // namespace tally::cli
