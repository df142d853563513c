// tally export cvm: a module as a model of cvm-runtime.
#include "frontends/cvm/export_cvm.h"

#include "base/io/file.h"
#include "base/status_macros.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/summary.h"

namespace tally::cli {
namespace {

struct ExportCvmOptions {
  std::string module;
  std::string graph;
  std::string params;
  bool json = false;
};

absl::Status ExportCvmModel(const ExportCvmOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const ValidModule> module, LoadValidModule(options.module));
  ASSIGN_OR_RETURN(const cvm::ModelFiles files, cvm::ExportCvm(*module));
  RETURN_IF_ERROR(WriteFilesAtomically(std::vector<FileToWrite>{
      {options.params, files.params},
      {options.graph, AsBytes(files.graph)},
  }));
  Summary summary;
  summary.Wrote(options.graph, files.graph.size());
  summary.Wrote(options.params, files.params.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace

void AddExportCvmCommand(CommandLine& line, CLI::App& parent) {
  auto& options = line.Keep<ExportCvmOptions>();
  auto* cvm = parent.add_subcommand("cvm", "turn a module of profile cvm into a model of cvm-runtime");
  line.ReadsModule(*cvm, options.module);
  line.Writes(cvm->add_option("--graph", options.graph, "file for the graph (JSON)"))->required();
  line.Writes(cvm->add_option("--params", options.params, "file for the params (binary)"))->required();
  line.ForMachines(*cvm, options.json);
  line.Calls(*cvm, options, ExportCvmModel);
}

}  // namespace tally::cli
