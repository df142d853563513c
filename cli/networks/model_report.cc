#include "cli/networks/model_report.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iomanip>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "frontends/graph/labels.h"

namespace tally::cli {

using frontend::LayerReport;

namespace {

// The advice for a refusal, by its label; nothing where the message says it.
std::string_view AdviceOn(const absl::Status& why) {
  constexpr std::pair<Label, std::string_view> kAdvice[] = {
      {label::model_unsupported_operator,
       "export with another opset, or express it by operators that are imported"},
      {label::model_unsupported_operand,
       "fold constants when you export, so that weights and shapes are in the file"},
      {label::model_open_dimension, "say how long they are: --shape or --dim"},
      {label::model_shape,
       "the shapes in the file contradict each other, or have a form that is not imported: mend the model"},
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

}  // namespace

Json JsonOf(const frontend::ModelReport& report) {
  std::map<std::string, std::array<int64_t, 3>> counts;  // by operator and fate
  Json refused = Json::array(), operators = Json::array();
  for (const absl::Status& why : report.others) refused.push_back(RefusalOf(why));
  for (const LayerReport& layer : report.layers) {
    ++counts[layer.kind][layer.fate];
    if (layer.fate == LayerReport::kRefused) refused.push_back(RefusalOf(layer.why));
  }
  for (const auto& [op, count] : counts) {
    operators.push_back({{"operator", op},
                         {"nodes", count[0] + count[1] + count[2]},
                         {"imported", count[LayerReport::kImported]},
                         {"refused", count[LayerReport::kRefused]},
                         {"unavailable", count[LayerReport::kUnavailable]}});
  }
  return {{"imports", report.imports()},
          {"format", report.format},
          {"inputs", report.inputs},
          {"outputs", report.outputs},
          {"weights", {{"tensors", report.weights}, {"elements", report.weight_elements}}},
          {"operators", operators},
          {"refused", refused},
          {"notes", report.notes}};
}

void PrintModel(const Json& report, std::ostream& out) {
  const auto each = [&](const char* key, const char* name) {
    for (const Json& value : report[key]) out << name << Printable(value.get<std::string>()) << "\n";
  };
  out << report["format"].get<std::string>() << "\n";
  each("inputs", "input    ");
  each("outputs", "output   ");
  out << "weights  " << report["weights"]["tensors"] << " tensors of " << report["weights"]["elements"]
      << " elements\n";
  each("notes", "note     ");
  PrintOperators(report["operators"], out);
}

}  // namespace tally::cli
