#include "cli/networks/import_cvm.h"

#include "base/error.h"
#include "base/hash/digest.h"
#include "base/hash/sha256.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/origin_file.h"
#include "cli/summary.h"
#include "frontends/cvm/import_cvm.h"
#include "serializer/encode.h"
#include "serializer/module_id.h"

namespace tally::cli {
namespace {

// Adds the next step for the user.
absl::Status WithHint(const absl::Status& status) {
  return WithMessage(status, absl::StrCat(status.message(), " (`tally import GRAPH PARAMS -o MODULE`; ",
                                          "docs/formats/cvm.md says what each label asks for)"));
}

}  // namespace

absl::Status ImportCvmModel(const ImportCvmOptions& options, std::ostream& out) {
  if (options.output.empty()) {
    return MakeError(label::option_syntax, "a CVM model becomes a module: say where to (--output MODULE)");
  }
  ASSIGN_OR_RETURN(const std::vector<uint8_t> graph, ReadFile(options.graph));
  ASSIGN_OR_RETURN(const std::vector<uint8_t> params, ReadFile(options.params));
  const absl::StatusOr<cvm::ImportedModel> model = cvm::ImportCvm(AsText(graph), params);
  if (!model.ok()) return WithHint(model.status());
  const ValidModule& valid = model->module;
  const std::vector<uint8_t> bytes = Encode(valid.module());
  const std::vector<Digest> sources = {Sha256Hash(graph), Sha256Hash(params)};
  const std::string origin =
      ToJson(OriginOf(ModuleId(valid.module()), "import", sources, std::nullopt, std::nullopt));
  const FileToWrite files[] = {{options.output, bytes}, {OriginBeside(options.output), AsBytes(origin)}};
  RETURN_IF_ERROR(WriteFilesAtomically(files));
  std::string after;
  for (const std::string_view name : {cvm::kArgmax, cvm::kDetection}) {
    if (model->graph.postprocess == name) after = name;
  }
  const std::string input = valid.entry().params[0].shape.ToString();
  const std::string output = valid.functions()[0].results[0].shape.ToString();
  Summary summary;
  summary.Add("module", "module_id", ToHex(ModuleId(valid.module())));
  summary.Say("input", absl::StrCat("data ", input, ", precision ", model->input_precision), "input",
              {{"name", "data"}, {"shape", input}, {"precision", model->input_precision}});
  summary.Say("output",
              absl::StrCat(output, ", precision ", model->output_precision,
                           after.empty() ? "" : absl::StrCat(", after ", after)),
              "output", {{"shape", output}, {"precision", model->output_precision}, {"postprocess", after}});
  summary.Add("gas", "gas", valid.gas());
  summary.Add("arena", "arena_bytes", valid.arena_bytes(), "bytes");
  for (const FileToWrite& written : files) summary.Wrote(written.path, written.bytes.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace tally::cli
