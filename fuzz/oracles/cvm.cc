#include "fuzz/oracles/cvm.h"

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/cvm/export_cvm.h"
#include "frontends/cvm/import_cvm.h"

namespace tally {

absl::Status CheckCvmImport(std::string_view graph, std::span<const uint8_t> params) {
  const auto model = cvm::ImportCvm(graph, params);
  if (!model.ok()) {
    if (!ErrorLabel(model.status()).empty()) return absl::OkStatus();
    return absl::InternalError(absl::StrCat("refused without a label: ", model.status().ToString()));
  }
  ASSIGN_OR_RETURN(const cvm::ModelFiles files, cvm::ExportCvm(model->module));
  ASSIGN_OR_RETURN(const cvm::ImportedModel again, cvm::ImportCvm(files.graph, files.params));
  if (again.module.module() != model->module.module()) {
    return absl::InternalError("the module changes when it is exported and imported");
  }
  return absl::OkStatus();
}

}  // namespace tally
