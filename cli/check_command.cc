#include <algorithm>
#include <array>
#include <cstdint>
#include <iomanip>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/json_output.h"
#include "cli/labels.h"
#include "cli/load_network.h"
#include "cli/report.h"
#include "frontends/onnx/import_onnx.h"
#include "frontends/onnx/labels.h"

namespace tally::cli {
namespace {

using frontend::LayerReport;
using frontend::ModelReport;

// What a user can do about a refusal, by its label; nothing where the message says it.
std::string_view AdviceOn(const absl::Status& why) {
  constexpr std::pair<Label, std::string_view> kAdvice[] = {
      {label::model_unsupported_operator,
       "export with another opset, or express it by operators that are imported"},
      {label::model_unsupported_operand,
       "fold constants when you export, so that weights and shapes are in the file"},
      {label::model_open_dimension, "fix the open dimensions: --shape NAME=1,3,224,224"},
      {label::model_shape,
       "the shapes in the file contradict each other, or are none that are imported: mend the model"},
      {label::model_unsupported_type, "export with float inputs and weights"},
      {label::model_unsupported_output, "export without what reads this output"},
      {label::model_nan_weight, "a weight is NaN or infinite: train or convert the model again"},
  };
  for (const auto& [of, advice] : kAdvice) {
    if (HasLabel(why, of)) return advice;
  }
  return "";
}

Json RefusalOf(const absl::Status& why) {
  return {{"label", ErrorLabel(why)}, {"message", std::string(why.message())}, {"advice", AdviceOn(why)}};
}

Json ToJson(const ModelReport& report) {
  std::map<std::string, std::array<int64_t, 3>> counts;  // by operator and fate
  Json refused = Json::array(), operators = Json::array();
  for (const absl::Status& why : report.others) refused.push_back(RefusalOf(why));
  for (const LayerReport& node : report.layers) {
    ++counts[node.kind][node.fate];
    if (node.fate == LayerReport::kRefused) refused.push_back(RefusalOf(node.why));
  }
  for (const auto& [op, count] : counts) {
    operators.push_back({{"operator", op},
                         {"nodes", count[0] + count[1] + count[2]},
                         {"imported", count[LayerReport::kImported]},
                         {"refused", count[LayerReport::kRefused]},
                         {"unavailable", count[LayerReport::kUnavailable]}});
  }
  return {{"imports", report.imports()}, {"format", report.format}, {"inputs", report.inputs},
          {"outputs", report.outputs},   {"operators", operators},  {"refused", refused}};
}

void PrintOperators(const Json& operators, std::ostream& out) {
  size_t longest = 8;
  for (const Json& row : operators) longest = std::max(longest, row["operator"].get<std::string>().size());
  const auto name = [&](std::string_view text) -> std::ostream& {
    return out << std::left << std::setw(static_cast<int>(longest) + 2) << text << std::right;
  };
  name("operator") << "  nodes  imported  refused  unavailable\n";
  for (const Json& row : operators) {
    // Not as JSON, which takes a width for an indent.
    const auto count = [&](const char* key) { return row[key].get<int64_t>(); };
    name(row["operator"].get<std::string>())
        << std::setw(7) << count("nodes") << std::setw(10) << count("imported") << std::setw(9)
        << count("refused") << std::setw(13) << count("unavailable") << "\n";
  }
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
  ASSIGN_OR_RETURN(const onnx::ImportOptions import, ImportOptionsOf(options.network));
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(options.network.path));
  ASSIGN_OR_RETURN(const ModelReport report, onnx::CheckOnnx(bytes, import));
  const Json json = ToJson(report);
  const absl::Status verdict =
      report.imports() ? absl::OkStatus() : MakeError(label::model_refused, "the model does not import");
  if (options.json && !verdict.ok()) return WithReport(verdict, json);
  if (options.json) {
    PrintJson(json, out);
    return absl::OkStatus();
  }
  out << report.format << "\n";
  for (const std::string& input : report.inputs) out << "input   " << Printable(input) << "\n";
  for (const std::string& output : report.outputs) out << "output  " << Printable(output) << "\n";
  PrintOperators(json["operators"], out);
  PrintRefusals(json["refused"], out);
  if (report.imports()) {
    out << "\nit imports: `tally quantize`, with samples for --calibrate where the file has no scales, makes "
           "a module "
           "of it\n";
  }
  return verdict;
}

}  // namespace tally::cli
