#include <span>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/json_output.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/load_network.h"
#include "cli/summary.h"
#include "frontends/onnx/exact/import_exact_model.h"
#include "frontends/onnx/import_onnx.h"
#include "serializer/encode.h"
#include "vm/validator.h"

namespace tally::cli {
namespace {

Json ToJson(const quant::Graph& graph) {
  const auto value = [&](quant::ValueId id) {
    return Json{{"name", graph.values[id].name}, {"type", ToString(graph.values[id].type)}};
  };
  Json json = {
      {"name", graph.name}, {"inputs", Json::array()}, {"outputs", Json::array()}, {"nodes", Json::array()}};
  for (const quant::ValueId id : graph.inputs) json["inputs"].push_back(value(id));
  for (const quant::Output& output : graph.outputs) {
    json["outputs"].push_back({{"name", output.name}, {"type", ToString(graph.values[output.value].type)}});
  }
  for (const quant::Node& node : graph.nodes) {
    Json operands = Json::array();
    for (const quant::ValueId id : node.operands) operands.push_back(graph.values[id].name);
    json["nodes"].push_back({{"op", OpName(node.op)},
                             {"source", node.source},
                             {"operands", operands},
                             {"result", value(node.result)}});
  }
  return json;
}

// Names of a graph are printable (quant/graph/graph.h).
void PrintGraph(const Json& json, std::ostream& out) {
  const auto named = [](const Json& value) {
    return value["name"].get<std::string>() + ": " + value["type"].get<std::string>();
  };
  out << "graph " << json["name"].get<std::string>() << "\n";
  for (const Json& input : json["inputs"]) out << "  input  " << named(input) << "\n";
  for (const Json& node : json["nodes"]) {
    if (node["op"] == "Constant") continue;  // weights; --json lists them
    out << "  " << named(node["result"]) << " = " << node["op"].get<std::string>() << "(";
    const char* separator = "";
    for (const Json& operand : node["operands"]) {
      out << separator << operand.get<std::string>();
      separator = ", ";
    }
    out << ")\n";
  }
  for (const Json& output : json["outputs"]) out << "  output " << named(output) << "\n";
}

// NAME=LO,HI of integers; NAME=1/2^BITS,LO,HI of floats that are integers times 2^-BITS.
absl::StatusOr<onnx::InputRange> ParseInputRange(const std::string& text) {
  ASSIGN_OR_RETURN(const auto name_and_range, SplitOption(text));
  std::vector<std::string> parts = absl::StrSplit(name_and_range.second, ',');
  onnx::InputRange range = {.name = name_and_range.first};
  constexpr std::string_view kPower = "1/2^";
  bool parsed = true;
  if (parts.size() == 3 && parts[0].starts_with(kPower)) {
    parsed = absl::SimpleAtoi(parts[0].substr(kPower.size()), &range.fraction_bits);
    parts.erase(parts.begin());
  }
  if (!parsed || parts.size() != 2 || !absl::SimpleAtoi(parts[0], &range.interval.lo) ||
      !absl::SimpleAtoi(parts[1], &range.interval.hi)) {
    return MakeError(label::option_syntax,
                     absl::StrCat("'", text, "' is not NAME=LO,HI or NAME=1/2^BITS,LO,HI"));
  }
  return range;
}

absl::Status WriteExactModule(const ImportOnnxOptions& options, std::span<const uint8_t> file,
                              std::ostream& out) {
  ASSIGN_OR_RETURN(const onnx::ImportOptions common, ImportOptionsOf(options.network));
  onnx::ExactImportOptions import = {.shapes = common.shapes, .folder = common.folder};
  for (const std::string& text : options.ranges) {
    ASSIGN_OR_RETURN(import.ranges.emplace_back(), ParseInputRange(text));
  }
  ASSIGN_OR_RETURN(Module module, onnx::ImportExactModel(file, import));
  const std::vector<uint8_t> bytes = Encode(module);
  ASSIGN_OR_RETURN(const ValidModule valid, Validate(std::move(module)));
  RETURN_IF_ERROR(WriteFileAtomically(options.output, bytes));
  Summary summary;
  summary.AddModule(valid);
  summary.Wrote(options.output, bytes.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

absl::Status ShowFloatGraph(const ImportOnnxOptions& options, std::span<const uint8_t> file,
                            std::ostream& out) {
  ASSIGN_OR_RETURN(const onnx::ImportOptions import, ImportOptionsOf(options.network));
  ASSIGN_OR_RETURN(const quant::Graph graph, onnx::ImportOnnx(file, import));
  const Json json = ToJson(graph);
  if (options.json) {
    PrintJson(json, out);
  } else {
    PrintGraph(json, out);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ImportOnnxModel(const ImportOnnxOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> file, ReadFile(options.network.path));
  return options.output.empty() ? ShowFloatGraph(options, file, out) : WriteExactModule(options, file, out);
}

}  // namespace tally::cli
