// One audit: whether the run that a receipt claims gives what it claims, with all that is needed for it from
// a store (docs/spec/audit.md).
//
//   const ObjectStore store(FolderObjects("store"));
//   Auditor auditor(store, {.engine = "cpu"});
//   const Verdict verdict = auditor.Audit(receipt, {.key = key});
//
// A verdict depends on the receipt, the evidence and the objects that have the right digests, and on nothing
// else: the same audit may be done again, by anybody, on any machine. Claims of one module should follow each
// other, as an auditor keeps the modules that it used last.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "engines/engine.h"
#include "proof/audit/content_store.h"
#include "proof/freivalds/product_verifier.h"
#include "proof/receipt/claim_run.h"
#include "proof/verify/verify_receipt.h"
#include "vm/plan.h"

namespace tally {

struct AuditOptions {
  std::string engine = "cpu";
  std::string level;           // as PlanOptions
  int threads = 1;             // in each run
  ExecuteOptions limits = {};  // a module beyond them is CANNOT_RECOMPUTE
  // Claims whose products the store has are checked by them, for a part of what a run takes
  // (docs/spec/audit.md#products). A claim with a trace, or with wrong products, is run.
  bool products = false;
  // The most bytes of modules and plans that are kept for the next claims; that of the current one comes to
  // it.
  int64_t kept_bytes = int64_t{1} << 30;
};

class Auditor {
 public:
  // `store` outlives the auditor.
  Auditor(const ContentStore& store, AuditOptions options);

  // The finding on a claim, whoever has signed it. `traced`: with the trace of the run, for receipts that
  // name one. CANNOT_RECOMPUTE with the label of the store, the limit or the engine where there is one.
  ClaimFinding AuditClaim(const Claim& claim, bool traced);

  Verdict Audit(const Receipt& receipt, const Evidence& evidence);

  // The claims that were checked by their products.
  int64_t checked_by_products() const { return checked_by_products_; }

  // Whether another try may end otherwise: the store or the machine failed, and not the claim.
  static bool MayPass(const absl::Status& why);

 private:
  struct Prepared {
    explicit Prepared(std::shared_ptr<const ValidModule> m) : module(std::move(m)), claimed(*module) {}

    std::shared_ptr<const ValidModule> module;
    ClaimedModule claimed;
    std::unique_ptr<const Plan> plan;  // made for the first claim that has to be run
    std::once_flag planned;
    absl::Status plan_status;
    // Made for the first claim with products; null if no product is worth a check.
    std::unique_ptr<const ProductVerifier> verifier;
    std::once_flag verifier_made;
    int64_t bytes = 0;
  };

  absl::StatusOr<std::shared_ptr<Prepared>> ModuleOf(const Digest& id);
  absl::StatusOr<const Plan*> PlanOf(Prepared& prepared) const;
  const ProductVerifier* VerifierOf(Prepared& prepared) const;
  // The finding by products, or nothing where a run decides.
  std::optional<Finding<Recomputation>> FindByProducts(const Claim& claim, Prepared& prepared,
                                                       std::span<const TensorView> inputs);

  const ContentStore& store_;
  const AuditOptions options_;
  const AuditSecret secret_ = AuditSecret::Draw();
  std::atomic<int64_t> checked_by_products_ = 0;
  std::mutex mutex_;
  std::list<std::shared_ptr<Prepared>> kept_;  // the one that was used last is the first
};

}  // namespace tally
