// tally import: a model whose integers a module computes exactly.
#include <span>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/json_output.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/networks/import_cvm.h"
#include "cli/networks/load_network.h"
#include "cli/networks/network_options.h"
#include "cli/origin_file.h"
#include "cli/summary.h"
#include "serializer/encode.h"
#include "serializer/module_id.h"
#include "vm/validator.h"

namespace tally::cli {
namespace {

struct ImportModelOptions {
  NetworkFile network;
  std::string params;               // for a CVM graph
  std::vector<std::string> ranges;  // NAME=LO,HI or NAME=1/2^BITS,LO,HI
  std::string output;
  bool json = false;
};

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
absl::StatusOr<frontend::InputRange> ParseInputRange(const std::string& text) {
  ASSIGN_OR_RETURN(const auto name_and_range, SplitOption(text));
  std::vector<std::string> parts = absl::StrSplit(name_and_range.second, ',');
  frontend::InputRange range = {.name = name_and_range.first};
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

absl::Status WriteExactModule(const ImportModelOptions& options, const LoadedModel& model,
                              std::ostream& out) {
  ASSIGN_OR_RETURN(frontend::ImportOptions import, ImportOptionsOf(options.network));
  std::vector<std::string> files_read;
  import.files_read = &files_read;
  std::vector<frontend::InputRange> ranges;
  for (const std::string& text : options.ranges) {
    ASSIGN_OR_RETURN(ranges.emplace_back(), ParseInputRange(text));
  }
  ASSIGN_OR_RETURN(Module module, model.format->import_exactly(model.bytes, import, ranges));
  const std::vector<uint8_t> bytes = Encode(module);
  ASSIGN_OR_RETURN(const ValidModule valid, Validate(std::move(module)));
  ASSIGN_OR_RETURN(const std::vector<Digest> sources, DigestsOfFiles(model.bytes, files_read));
  const std::string origin =
      ToJson(OriginOf(ModuleId(valid.module()), "import", sources, std::nullopt, std::nullopt));
  const FileToWrite files[] = {{options.output, bytes}, {OriginBeside(options.output), AsBytes(origin)}};
  RETURN_IF_ERROR(WriteFilesAtomically(files));
  Summary summary;
  summary.AddModule(valid);
  for (const FileToWrite& written : files) summary.Wrote(written.path, written.bytes.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

absl::Status ShowFloatGraph(const ImportModelOptions& options, const LoadedModel& model, std::ostream& out) {
  ASSIGN_OR_RETURN(const frontend::ImportOptions import, ImportOptionsOf(options.network));
  ASSIGN_OR_RETURN(const frontend::Network network, model.format->import(model.bytes, import));
  const Json json = ToJson(network.graph);
  if (options.json) {
    PrintJson(json, out);
  } else {
    PrintGraph(json, out);
  }
  return absl::OkStatus();
}

// A CVM model has a file of its weights beside its graph.
absl::Status ImportModel(const ImportModelOptions& options, std::ostream& out) {
  if (!options.params.empty()) {
    return ImportCvmModel({.graph = options.network.path,
                           .params = options.params,
                           .output = options.output,
                           .json = options.json},
                          out);
  }
  ASSIGN_OR_RETURN(const LoadedModel model, LoadModel(options.network.path));
  return options.output.empty() ? ShowFloatGraph(options, model, out) : WriteExactModule(options, model, out);
}

}  // namespace

void AddImportCommand(CommandLine& line) {
  auto& options = line.Keep<ImportModelOptions>();
  auto* import = line.app.add_subcommand("import",
                                         "turn a model of integers, or one of cvm-runtime, into a module "
                                         "(-o); without -o, show its float graph");
  AddNetworkOptions(line, *import, options.network);
  line.Reads(
      import->add_option("params", options.params, "params file (binary), after the graph of a CVM model"));
  import
      ->add_option("--range", options.ranges,
                   "NAME=LO,HI: range of an input of integers; NAME=1/2^BITS,LO,HI: of floats, as integers "
                   "times 2^-BITS")
      ->allow_extra_args(false);
  line.WritesNamed(import->add_option("-o,--output", options.output, "module file"));
  line.ForMachines(*import, options.json);
  line.Calls(*import, options, ImportModel);
}

}  // namespace tally::cli
