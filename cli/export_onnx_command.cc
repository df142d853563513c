// export onnx: modules as models that ONNX's viewers and runtimes read.
#include "base/file.h"
#include "base/status_macros.h"
#include "cli/load.h"
#include "cli/network_commands.h"
#include "cli/summary.h"
#include "frontends/onnx/export/export_onnx.h"

namespace tally::cli {

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

}  // namespace tally::cli
