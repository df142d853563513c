#include "proof/receipt/claim_run.h"

#include <vector>

#include "base/error.h"
#include "proof/receipt/bounds.h"
#include "proof/receipt/io_map.h"
#include "serializer/module_id.h"
#include "serializer/tensor_digest.h"
#include "vm/labels.h"

namespace tally {
namespace {

Storage StorageOfValue(const TensorView& value, const TensorType* type) {
  // A value whose storage cannot leave the interval is not looked at.
  if (type != nullptr && type->interval.Contains(RangeOf(value.storage))) return type->storage();
  const Interval bounds = value.Bounds();
  if (type != nullptr && type->interval.Contains(bounds)) return type->storage();
  return NarrowestStorage(bounds);
}

// The claim of a run of a module on these inputs, but for what came of it.
Claim ClaimOfInputs(const ClaimedModule& claimed, const Digest& inputs) {
  return {.module = claimed.id, .inputs = inputs, .bounds = claimed.bounds, .results = {}, .limit = {}};
}

}  // namespace

ClaimedModule::ClaimedModule(const ValidModule& m)
    : module(m), id(ModuleId(m.module())), bounds(BoundsDigest(BoundsOf(m))) {}

std::vector<Digest> DigestsOf(std::span<const TensorType> types, std::span<const TensorView> values) {
  std::vector<Digest> digests;
  for (size_t i = 0; i < values.size(); ++i) {
    const Storage storage = StorageOfValue(values[i], i < types.size() ? &types[i] : nullptr);
    digests.push_back(storage == values[i].storage ? ValueDigest(values[i])
                                                   : ValueDigest(Tensor::Copy(values[i], storage).view()));
  }
  return digests;
}

Digest IoMapOf(std::span<const TensorType> types, std::span<const TensorView> values) {
  return IoMapDigest(DigestsOf(types, values));
}

Claim ClaimOfResults(const ClaimedModule& claimed, const Digest& inputs, const Outcome& outcome) {
  std::vector<TensorView> results;
  for (const Tensor& result : outcome.results) results.push_back(result.view());
  Claim claim = ClaimOfInputs(claimed, inputs);
  claim.gas = static_cast<uint64_t>(outcome.gas_used);
  claim.results = ResultsDigest(claimed.module, results);
  return claim;
}

absl::StatusOr<Claim> ClaimOfRun(const ClaimedModule& claimed, std::span<const TensorView> inputs,
                                 const absl::StatusOr<Outcome>& outcome, const ExecuteOptions& options) {
  const Digest digest = InputsDigest(claimed.module, inputs);
  if (outcome.ok()) return ClaimOfResults(claimed, digest, *outcome);
  Claim claim = ClaimOfInputs(claimed, digest);
  claim.status = ErrorLabel(outcome.status());
  if (!IsClaimStatus(claim.status)) return outcome.status();
  if (IsLimitStatus(claim.status)) {
    const bool gas = HasLabel(outcome.status(), label::gas_limit);
    claim.limit = static_cast<uint64_t>(gas ? options.gas_limit : options.memory_limit_bytes);
  }
  return claim;
}

}  // namespace tally
