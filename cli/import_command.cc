#include "base/file.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/json_output.h"
#include "frontends/onnx/import_onnx.h"

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

}  // namespace

absl::Status ImportOnnxModel(const ImportOnnxOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(options.model));
  ASSIGN_OR_RETURN(const quant::Graph graph, onnx::ImportOnnx(bytes, {.batch = options.batch}));
  const Json json = ToJson(graph);
  if (options.json) {
    PrintJson(json, out);
  } else {
    PrintGraph(json, out);
  }
  return absl::OkStatus();
}

}  // namespace tally::cli
