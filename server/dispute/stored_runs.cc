#include "server/dispute/stored_runs.h"

#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "engines/engine.h"
#include "proof/audit/object_store.h"
#include "server/labels.h"

namespace tally::server {

absl::StatusOr<std::shared_ptr<const AssertedRun>> StoredRuns::Of(const Receipt& receipt,
                                                                  const std::string& text) {
  const auto kept = store_.ReceiptWithId(ReceiptId(receipt.core));
  if (!kept.ok()) return kept.status();
  if (*kept != text) return MakeError(label::receipt_unknown, "the store has another receipt of this id");
  const ObjectStore objects(
      [&](ObjectKind kind, const Digest& digest) { return store_.Object(kind, digest); });
  auto run = std::make_shared<AssertedRun>();
  ModelConfig config;
  if (const auto model = repository_.WithModule(receipt.claim.module)) {
    // The module outlives the model: it shares its ownership.
    run->module = std::shared_ptr<const ValidModule>(model, &model->module());
    config = model->config();
  } else {
    ASSIGN_OR_RETURN(run->module, objects.Module(receipt.claim.module));
  }
  run->claimed = std::make_unique<const ClaimedModule>(*run->module);
  ASSIGN_OR_RETURN(const std::vector<Tensor> inputs, objects.Inputs(receipt.claim.inputs, *run->module));
  std::vector<TensorView> views;
  for (const Tensor& input : inputs) views.push_back(input.view());
  const PlanOptions options = {.threads = static_cast<int>(config.threads), .level = config.level};
  ASSIGN_OR_RETURN(const auto plan, MakePlan(config.engine, run->module, options));
  ASSIGN_OR_RETURN(run->run, RecordedRun::Of(*run->claimed, *plan, views));
  return std::shared_ptr<const AssertedRun>(std::move(run));
}

}  // namespace tally::server
