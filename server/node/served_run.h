// A run that took place: its results, and what a receipt says of it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "base/tensor.h"
#include "proof/receipt/claim.h"
#include "server/models/served_model.h"
#include "server/store/store.h"
#include "vm/cancellation.h"

namespace tally::server {

struct ServedRun {
  Outcome outcome;
  std::optional<Claim> claim;   // where it was asked for
  std::optional<Digest> trace;  // as well

  int64_t size_bytes() const;  // about
};

// The limits of a model's configuration.
ExecuteOptions LimitsOf(const ServedModel& model);

// The io-map of inputs, and the digest of each.
struct InputDigests {
  std::vector<Digest> tensors;
  Digest io_map = {};
};
InputDigests DigestsOfInputs(const ServedModel& model, const std::vector<Tensor>& inputs);

// The inputs as objects of a store: their io-map, and each tensor. Error: a tensor that no .npy file holds.
absl::StatusOr<std::vector<StoredObject>> ObjectsOfInputs(const std::vector<Tensor>& inputs,
                                                          const InputDigests& digests);

// Runs the module within the limits of the model. `digests` are there where the claim is wanted, and `traced`
// only then. Errors: those of Plan::Execute; request_deadline where it was cancelled.
absl::StatusOr<std::shared_ptr<const ServedRun>> RunModel(const ServedModel& model,
                                                          const std::vector<Tensor>& inputs,
                                                          const std::optional<InputDigests>& digests,
                                                          bool claimed, bool traced,
                                                          const Cancellation& cancellation);

}  // namespace tally::server
