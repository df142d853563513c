// tally export onnx: a module as a model that ONNX's viewers and runtimes read.
#include "frontends/onnx/export/export_onnx.h"

#include "base/io/file.h"
#include "base/status_macros.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/summary.h"

namespace tally::cli {
namespace {

struct ExportOnnxOptions {
  std::string module;
  std::string output;
  bool json = false;
};

absl::Status ExportOnnxModel(const ExportOnnxOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const ValidModule> module, LoadValidModule(options.module));
  const onnx::ExportedOnnx exported = onnx::ExportOnnx(*module);
  ASSIGN_OR_RETURN(const std::string file, onnx::OnnxFile(exported));
  RETURN_IF_ERROR(WriteFileAtomically(options.output, AsBytes(file)));
  Summary summary;
  summary.AddShare("exact", "exact_share", 1, "of the instructions, in forms that ONNX defines exactly");
  summary.Add("from", "instructions", exported.instructions, "instructions");
  summary.Add("nodes", "nodes", exported.model.graph().node_size());
  summary.Wrote(options.output, file.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace

void AddExportOnnxCommand(CommandLine& line, CLI::App& parent) {
  auto& options = line.Keep<ExportOnnxOptions>();
  auto* onnx = parent.add_subcommand(
      "onnx", "turn a module into an ONNX model of integers, where every instruction has an exact form");
  line.ReadsModule(*onnx, options.module);
  line.Writes(onnx->add_option("-o,--output", options.output, "ONNX file"))->required();
  line.ForMachines(*onnx, options.json);
  line.Calls(*onnx, options, ExportOnnxModel);
}

}  // namespace tally::cli
