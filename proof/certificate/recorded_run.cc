#include "proof/certificate/recorded_run.h"

#include "base/status_macros.h"
#include "proof/receipt/io_map.h"
#include "serializer/tensor_digest.h"
#include "vm/committed_values.h"

namespace tally {
namespace {

// In the storage of its type, if that can hold it.
Tensor InStorageOf(const TensorType& type, const TensorView& value) {
  const bool fits = type.interval.Contains(RangeOf(value.storage)) || type.interval.Contains(value.Bounds());
  return Tensor::Copy(value, fits ? type.storage() : value.storage);
}

std::vector<Digest> DigestsOfValues(const std::vector<Tensor>& values) {
  std::vector<Digest> digests;
  for (const Tensor& value : values) digests.push_back(ValueDigest(value.view()));
  return digests;
}

}  // namespace

absl::StatusOr<RecordedRun> RecordedRun::Of(const ClaimedModule& claimed, const Plan& plan,
                                            std::span<const TensorView> inputs,
                                            const ExecuteOptions& limits) {
  RecordedRun run;
  const ValidModule& module = claimed.module;
  const CommittedValues committed(module);
  ExecuteOptions options = limits;
  options.observer = [&](std::span<const CallSite> path, ValueId id, const TensorView& value) {
    const size_t function = FunctionAt(module.module(), path);
    if (!committed.contains(function, id)) return;
    run.trace.push_back({{path.begin(), path.end()}, id, {}});
    run.values.push_back(InStorageOf(module.functions()[function].types[id], value));
  };
  absl::StatusOr<Outcome> outcome = plan.Execute(inputs, options);
  if (!outcome.ok()) return outcome.status();
  for (size_t i = 0; i < inputs.size(); ++i) {
    run.inputs.push_back(InStorageOf(module.functions()[0].params[i], inputs[i]));
  }
  run.claim = {.module = claimed.id,
               .bounds = claimed.bounds,
               .gas = static_cast<uint64_t>(outcome->gas_used),
               .results = Digest(),
               .limit = {}};
  run.results = std::move(outcome->results);
  run.CommitToTensors();
  return run;
}

RecordedRun RecordedRun::Refused(const ClaimedModule& claimed, std::span<const TensorView> inputs,
                                 std::string_view status) {
  RecordedRun run;
  run.claim = {.module = claimed.id,
               .bounds = claimed.bounds,
               .status = std::string(status),
               .results = {},
               .limit = {}};
  const std::vector<TensorType>& params = claimed.module.functions()[0].params;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Interval bounds = inputs[i].Bounds();
    const bool fits = i < params.size() && params[i].interval.Contains(bounds);
    run.inputs.push_back(Tensor::Copy(inputs[i], fits ? params[i].storage() : NarrowestStorage(bounds)));
  }
  run.CommitToTensors();
  return run;
}

void RecordedRun::CommitToTensors() {
  input_digests = DigestsOfValues(inputs);
  result_digests = DigestsOfValues(results);
  claim.inputs = IoMapDigest(input_digests);
  if (claim.status == kRan) claim.results = IoMapDigest(result_digests);
  for (size_t i = 0; i < trace.size(); ++i) trace[i].value = ValueDigest(values[i].view());
}

}  // namespace tally
