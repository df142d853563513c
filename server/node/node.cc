#include "server/node/node.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/receipt/receipt.h"
#include "server/labels.h"
#include "server/models/tensors.h"

namespace tally::server {
namespace {

using Clock = std::chrono::steady_clock;

// Runs of so much gas take about as long as passing them to another thread and back.
constexpr int64_t kGasOfShortRuns = 50'000'000;

double MicrosecondsSince(Clock::time_point from) {
  return std::chrono::duration<double, std::micro>(Clock::now() - from).count();
}

}  // namespace

struct Node::Call {
  InferRequest request;
  Done done;
  Clock::time_point arrived = Clock::now();
  std::shared_ptr<const ServedModel> model;
  ModelMetrics* metrics = nullptr;
  bool cached = false;
};

Node::Node(const Repository& repository, Metrics& metrics, const NodeOptions& options, const Signer* signer,
           Store* store)
    : repository_(repository),
      metrics_(metrics),
      signer_(signer),
      cache_(options.cache_bytes),
      scheduler_(options.workers) {
  if (signer_ != nullptr) writer_.emplace(*store);
}

void Node::Infer(InferRequest request, Done done) {
  const auto call = std::make_shared<Call>();
  call->request = std::move(request);
  call->done = std::move(done);
  if (const absl::Status begun = Begin(call); !begun.ok()) End(*call, begun);
}

absl::Status Node::Begin(const std::shared_ptr<Call>& call) {
  ASSIGN_OR_RETURN(call->model, repository_.Find(call->request.model, call->request.version));
  call->metrics = &metrics_.Of(call->model->name(), call->model->version());
  RETURN_IF_ERROR(CheckOutputs(call->request, *call->model));
  if (call->request.receipt != ReceiptKind::kNone && signer_ == nullptr)
    return MakeError(label::receipts_off, "the server has no key that it could sign receipts with");
  const int64_t most = call->model->config().deadline_ms * 1000;
  const std::chrono::microseconds timeout(std::min(call->request.timeout_us.value_or(most), most));
  call->metrics->pending.Increment();
  Job job = {call->arrived + timeout,
             [this, call](const absl::Status& late, const Cancellation& cancellation) {
               call->metrics->pending.Decrement();
               Run(call, late, cancellation);
             }};
  if (call->model->module().gas() <= kGasOfShortRuns && scheduler_.RunNow(job)) return absl::OkStatus();
  const absl::Status added = scheduler_.Add(call->model, std::move(job));
  if (!added.ok()) call->metrics->pending.Decrement();
  return added;
}

void Node::Run(const std::shared_ptr<Call>& call, const absl::Status& late,
               const Cancellation& cancellation) {
  call->metrics->queue_us.Increment(MicrosecondsSince(call->arrived));
  const absl::Status answered = late.ok() ? Answer(call, cancellation) : late;
  if (!answered.ok()) End(*call, answered);
}

absl::StatusOr<std::shared_ptr<const ServedRun>> Node::FindOrRun(Call& call,
                                                                 const std::vector<Tensor>& inputs,
                                                                 const std::optional<InputDigests>& digests,
                                                                 const Cancellation& cancellation) {
  const ServedModel& model = *call.model;
  const bool claimed = call.request.receipt != ReceiptKind::kNone;
  const bool traced = call.request.receipt == ReceiptKind::kTrace;
  const bool caches = model.config().cache;
  // The limits are those of this model: the cache may have a run of the same module under another name.
  RETURN_IF_ERROR(CheckLimits(model.module(), LimitsOf(model)));
  RunCache::Key key;
  if (caches) {
    key = {model.claimed().id, digests->io_map};
    std::shared_ptr<const ServedRun> found = cache_.Find(key);
    call.cached = found != nullptr && (!claimed || found->claim) && (!traced || found->trace);
    (call.cached ? call.metrics->cache_hits : call.metrics->cache_misses).Increment();
    if (call.cached) return found;
  }
  const Clock::time_point begin = Clock::now();
  ASSIGN_OR_RETURN(std::shared_ptr<const ServedRun> run,
                   RunModel(model, inputs, digests, claimed, traced, cancellation));
  call.metrics->executions.Increment();
  call.metrics->compute_us.Increment(MicrosecondsSince(begin));
  if (caches) cache_.Add(key, run);
  return run;
}

absl::Status Node::Answer(const std::shared_ptr<Call>& call, const Cancellation& cancellation) {
  const ServedModel& model = *call->model;
  ASSIGN_OR_RETURN(const std::vector<Tensor> inputs, InputsOf(call->request, model));
  const bool claimed = call->request.receipt != ReceiptKind::kNone;
  std::optional<InputDigests> digests;
  if (claimed || model.config().cache) digests = DigestsOfInputs(model, inputs);
  ASSIGN_OR_RETURN(const std::shared_ptr<const ServedRun> run,
                   FindOrRun(*call, inputs, digests, cancellation));
  InferResponse response = {.model = model.name(), .version = model.version(), .id = call->request.id};
  response.cached = call->cached;
  ASSIGN_OR_RETURN(response.outputs, OutputsOf(call->request, model, run->outcome.results));
  call->metrics->gas.Increment(static_cast<double>(run->outcome.gas_used));
  if (!claimed) {
    End(*call, std::move(response));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(SignedRun to_keep, Sign(*call, *run, inputs, *digests));
  response.claim = ToHex(to_keep.claim);
  response.receipt = to_keep.text;
  writer_->Add(std::move(to_keep),
               [this, call, response = std::move(response)](const absl::Status& durable) mutable {
                 if (!durable.ok()) {
                   metrics_.CountStoreFailure();
                   return End(*call, durable);
                 }
                 call->metrics->receipts.Increment();
                 End(*call, std::move(response));
               });
  return absl::OkStatus();
}

absl::StatusOr<SignedRun> Node::Sign(const Call& call, const ServedRun& run,
                                     const std::vector<Tensor>& inputs, const InputDigests& digests) const {
  const bool traced = call.request.receipt == ReceiptKind::kTrace;
  const ReceiptCore core = {.nonce = call.request.nonce,
                            .issued_at = SecondsSince1970(),
                            .trace = traced ? run.trace : std::nullopt,
                            .origin = call.model->origin()};
  ASSIGN_OR_RETURN(const Receipt receipt, SignReceipt(*run.claim, core, signer_->public_key().id(),
                                                      [&](auto message) { return signer_->Sign(message); }));
  SignedRun to_keep = {.receipt = ReceiptId(receipt.core),
                       .claim = receipt.core.claim,
                       .module = call.model->claimed().id,
                       .inputs = digests.io_map,
                       .nonce = core.nonce,
                       .trace = core.trace,
                       .issued_at = static_cast<int64_t>(core.issued_at),
                       .text = ToJson(receipt),
                       .objects = {}};
  ASSIGN_OR_RETURN(to_keep.objects, ObjectsOfInputs(inputs, digests));
  return to_keep;
}

void Node::End(Call& call, absl::StatusOr<InferResponse> response) {
  if (call.metrics != nullptr) {
    const double microseconds = MicrosecondsSince(call.arrived);
    (response.ok() ? call.metrics->success : call.metrics->failure).Increment();
    if (response.ok()) call.metrics->inferences.Increment();
    call.metrics->request_us.Increment(microseconds);
    call.metrics->seconds.Observe(microseconds * 1e-6);
  } else {
    metrics_.CountRefusal(ErrorLabel(response.status()));
  }
  call.done(std::move(response));
}

void Node::Drain() {
  scheduler_.Drain();
  writer_.reset();  // writes what waits
}

}  // namespace tally::server
