// A node: it runs models for requests, signs receipts of runs, and keeps what it signed.
//
//   Node node(repository, metrics, {.workers = 2}, signer, store);
//   node.Infer(std::move(request), [](absl::StatusOr<InferResponse> response) { ... });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "server/keys/signer.h"
#include "server/models/repository.h"
#include "server/node/metrics.h"
#include "server/node/run_cache.h"
#include "server/node/scheduler.h"
#include "server/protocol/inference.h"
#include "server/store/receipt_writer.h"
#include "server/store/store.h"

namespace tally::server {

struct NodeOptions {
  int workers = 1;
  int64_t cache_bytes = int64_t{64} << 20;
};

// May be used by many threads at once.
class Node {
 public:
  // Without a signer it signs nothing; with one there is a store. All outlive this.
  Node(const Repository& repository, Metrics& metrics, const NodeOptions& options, const Signer* signer,
       Store* store);

  // `done` is called once, in some thread, perhaps before this returns. A response with a receipt comes when
  // the receipt is durable. Errors: model_unknown, model_unready, queue_full, server_ends, receipts_off,
  // request_deadline, server_store; those of InputsOf, OutputsOf, RunModel and Signer::Sign.
  using Done = std::function<void(absl::StatusOr<InferResponse>)>;
  void Infer(InferRequest request, Done done);

  // Takes no more requests, and returns when those that it has are answered.
  void Drain();

 private:
  struct Call;

  absl::Status Begin(const std::shared_ptr<Call>& call);
  void Run(const std::shared_ptr<Call>& call, const absl::Status& late, const Cancellation& cancellation);
  absl::StatusOr<std::shared_ptr<const ServedRun>> FindOrRun(Call& call, const std::vector<Tensor>& inputs,
                                                             const std::optional<InputDigests>& digests,
                                                             const Cancellation& cancellation);
  absl::Status Answer(const std::shared_ptr<Call>& call, const Cancellation& cancellation);
  absl::StatusOr<SignedRun> Sign(const Call& call, const ServedRun& run, const std::vector<Tensor>& inputs,
                                 const InputDigests& digests) const;
  void End(Call& call, absl::StatusOr<InferResponse> response);

  const Repository& repository_;
  Metrics& metrics_;
  const Signer* const signer_;
  RunCache cache_;
  std::optional<ReceiptWriter> writer_;
  Scheduler scheduler_;  // its workers use all that is above
};

}  // namespace tally::server
