#include "frontends/cvm/testing/run_model.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "engines/engine.h"
#include "frontends/cvm/import_cvm.h"

namespace tally::cvm {

absl::StatusOr<ModelResult> RunModel(const ModelWriter& model, const std::vector<int64_t>& data) {
  ASSIGN_OR_RETURN(ImportedModel imported, ImportCvm(model.Text(), model.Params()));
  const auto module = std::make_shared<const ValidModule>(std::move(imported.module));
  ASSIGN_OR_RETURN(const Tensor input, Tensor::FromValues(module->entry().params[0].shape, data));
  std::optional<ModelResult> first;
  for (const char* engine : {"formal", "reference", "cpu"}) {
    ASSIGN_OR_RETURN(const std::unique_ptr<const Plan> plan, MakePlan(engine, module));
    const TensorView inputs[] = {input.view()};
    ASSIGN_OR_RETURN(const Outcome outcome, plan->Execute(inputs, {}));
    const Tensor& output = outcome.results[0];
    ModelResult result;
    result.dims.assign(output.shape().dims().begin(), output.shape().dims().end());
    for (int64_t i = 0; i < output.shape().num_elements(); ++i) result.values.push_back(output.view().at(i));
    if (first && result != *first) return absl::InternalError(absl::StrCat(engine, " differs from formal"));
    first = std::move(result);
  }
  return *first;
}

std::string ImportLabel(const ModelWriter& model) {
  const absl::StatusOr<ImportedModel> imported = ImportCvm(model.Text(), model.Params());
  if (imported.ok()) return "";
  const std::string label = ErrorLabel(imported.status());
  return label.empty() ? imported.status().ToString() : label;
}

}  // namespace tally::cvm
