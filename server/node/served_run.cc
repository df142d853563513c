#include "server/node/served_run.h"

#include <utility>

#include "base/error.h"
#include "base/io/npy_tensor.h"
#include "base/status_macros.h"
#include "proof/receipt/claim_run.h"
#include "proof/receipt/io_map.h"
#include "proof/trace/trace.h"
#include "server/labels.h"
#include "vm/labels.h"

namespace tally::server {
namespace {

std::vector<TensorView> ViewsOf(const std::vector<Tensor>& tensors) {
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  return views;
}

}  // namespace

int64_t ServedRun::size_bytes() const {
  int64_t size = 512;
  for (const Tensor& result : outcome.results) size += static_cast<int64_t>(result.bytes().size()) + 128;
  return size;
}

ExecuteOptions LimitsOf(const ServedModel& model) {
  ExecuteOptions limits;
  limits.gas_limit = model.config().gas_limit;
  limits.memory_limit_bytes = model.config().memory_limit;
  return limits;
}

InputDigests DigestsOfInputs(const ServedModel& model, const std::vector<Tensor>& inputs) {
  InputDigests digests;
  digests.tensors = DigestsOf(model.module().functions()[0].params, ViewsOf(inputs));
  digests.io_map = IoMapDigest(digests.tensors);
  return digests;
}

absl::StatusOr<std::vector<StoredObject>> ObjectsOfInputs(const std::vector<Tensor>& inputs,
                                                          const InputDigests& digests) {
  std::vector<StoredObject> objects = {{ObjectKind::kIoMap, digests.io_map, EncodeIoMap(digests.tensors)}};
  for (size_t i = 0; i < inputs.size(); ++i) {
    ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, NpyOf(inputs[i].view()));
    objects.push_back({ObjectKind::kTensor, digests.tensors[i], std::move(bytes)});
  }
  return objects;
}

absl::StatusOr<std::shared_ptr<const ServedRun>> RunModel(const ServedModel& model,
                                                          const std::vector<Tensor>& inputs,
                                                          const std::optional<InputDigests>& digests,
                                                          bool claimed, bool traced,
                                                          const Cancellation& cancellation) {
  ExecuteOptions options = LimitsOf(model);
  options.cancellation = &cancellation;
  Trace trace;
  if (traced) options.root_observer = RecordInto(trace);
  absl::StatusOr<Outcome> outcome = model.plan().Execute(ViewsOf(inputs), options);
  if (HasLabel(outcome.status(), label::cancelled))
    return MakeError(label::request_deadline, "the deadline passed while the model ran");
  if (!outcome.ok()) return outcome.status();
  auto run = std::make_shared<ServedRun>();
  run->outcome = *std::move(outcome);
  if (claimed) run->claim = ClaimOfResults(model.claimed(), digests->io_map, run->outcome);
  if (traced) run->trace = TraceDigest(trace);
  return std::shared_ptr<const ServedRun>(std::move(run));
}

}  // namespace tally::server
