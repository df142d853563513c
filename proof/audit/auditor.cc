#include "proof/audit/auditor.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "proof/labels.h"

namespace tally {
namespace {

ClaimFinding Cannot(absl::Status why) { return {{Recomputation::kCannotRecompute, std::move(why)}, {}}; }

}  // namespace

Auditor::Auditor(const ContentStore& store, AuditOptions options)
    : store_(store), options_(std::move(options)) {}

absl::StatusOr<std::shared_ptr<Auditor::Prepared>> Auditor::ModuleOf(const Digest& id) {
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find_if(kept_, [&](const auto& prepared) { return prepared->claimed.id == id; });
    if (found != kept_.end()) {
      kept_.splice(kept_.begin(), kept_, found);
      return kept_.front();
    }
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const ValidModule> module, store_.Module(id));
  const auto prepared = std::make_shared<Prepared>(module);
  // A module of another id is not kept: the store would be asked for it each time anyway.
  if (prepared->claimed.id != id) return prepared;
  prepared->bytes = module->constant_bytes() + module->arena_bytes();
  const std::lock_guard lock(mutex_);
  kept_.push_front(prepared);
  int64_t bytes = 0;
  const auto beyond = std::ranges::find_if(kept_, [&](const auto& each) {
    return (bytes += each->bytes) > options_.kept_bytes && each != prepared;
  });
  kept_.erase(beyond, kept_.end());
  return prepared;
}

absl::StatusOr<const Plan*> Auditor::PlanOf(Prepared& prepared) const {
  std::call_once(prepared.planned, [&] {
    auto plan =
        MakePlan(options_.engine, prepared.module, {.threads = options_.threads, .level = options_.level});
    prepared.plan_status = plan.status();
    if (plan.ok()) prepared.plan = *std::move(plan);
  });
  RETURN_IF_ERROR(prepared.plan_status);
  return prepared.plan.get();
}

const ProductVerifier* Auditor::VerifierOf(Prepared& prepared) const {
  std::call_once(prepared.verifier_made, [&] {
    // An auditor that cannot make one runs the module.
    auto made = ProductVerifier::Make(*prepared.module, prepared.claimed.id, options_.engine,
                                      {.threads = options_.threads, .level = options_.level}, secret_);
    if (made.ok()) prepared.verifier = *std::move(made);
  });
  return prepared.verifier.get();
}

std::optional<Finding<Recomputation>> Auditor::FindByProducts(const Claim& claim, Prepared& prepared,
                                                              std::span<const TensorView> inputs) {
  const absl::StatusOr<std::vector<uint8_t>> bytes = store_.Products(ClaimId(claim));
  if (!bytes.ok()) return std::nullopt;
  const ProductVerifier* const verifier = VerifierOf(prepared);
  if (verifier == nullptr) return std::nullopt;
  absl::StatusOr<std::vector<Tensor>> products = DecodeProducts(*bytes, verifier->types());
  if (!products.ok()) return std::nullopt;
  absl::StatusOr<std::vector<Tensor>> results = verifier->Results(inputs, *std::move(products));
  // Nobody has signed the products: wrong ones say nothing of the claim.
  if (!results.ok()) return std::nullopt;
  ++checked_by_products_;
  return FindingFromResults(claim, prepared.claimed, inputs, *std::move(results));
}

ClaimFinding Auditor::AuditClaim(const Claim& claim, bool traced) {
  const auto prepared = ModuleOf(claim.module);
  if (!prepared.ok()) return Cannot(prepared.status());
  const auto inputs = store_.Inputs(claim.inputs, *(*prepared)->module);
  if (!inputs.ok()) return Cannot(inputs.status());
  std::vector<TensorView> views;
  for (const Tensor& tensor : *inputs) views.push_back(tensor.view());
  // A stranger's claim is not worth a plan before what it says of the module is true.
  const ClaimedModule& claimed = (*prepared)->claimed;
  if (auto found = FindWithoutRunning(claim, claimed, views, options_.limits)) return {*std::move(found), {}};
  if (options_.products && !traced) {
    if (auto found = FindByProducts(claim, **prepared, views)) return {*std::move(found), {}};
  }
  const auto plan = PlanOf(**prepared);
  if (!plan.ok()) return Cannot(plan.status());
  return RecomputeClaim(claim, claimed, **plan, views, options_.limits, traced);
}

Verdict Auditor::Audit(const Receipt& receipt, const Evidence& evidence) {
  Verdict verdict = VerifyReceipt(receipt, evidence);
  const std::optional<Digest>& trace = receipt.core.trace;
  AddRecomputation(receipt, FindingFor(trace, AuditClaim(receipt.claim, trace.has_value())), &verdict);
  return verdict;
}

bool Auditor::MayPass(const absl::Status& why) {
  return HasLabel(why, label::store_failed) || ErrorStageOf(why) == ErrorStage::fault;
}

}  // namespace tally
