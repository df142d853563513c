// The party that has made a claim, and answers for it.
//
//   Asserter asserter(claimed, run);
//   DisputeReferee referee(asserter.opening());
//   referee.Answer(asserter.Reply(query));
#pragma once

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "proof/certificate/convict.h"
#include "proof/certificate/leaf_tree.h"
#include "proof/certificate/recorded_run.h"
#include "proof/dispute/messages.h"

namespace tally {

class Asserter {
 public:
  // Arguments outlive this. The run may be any: a false one is answered for like a true one.
  Asserter(const ClaimedModule& claimed, const RecordedRun& run);

  DisputeOpening opening() const;

  // The answer to a query that the referee has let pass: an honest run has one to each. Error dispute_query,
  // where there is none; those of Expand, where a false run has no expansion.
  absl::StatusOr<Answer> Reply(const Query& query);

 private:
  absl::StatusOr<Answer> Expand(uint64_t element);
  void TakeUp(const Tensor& tensor, std::unique_ptr<LeafTree>* tree, Answer* answer);

  const ClaimedModule& claimed_;
  const RecordedRun& run_;
  std::vector<Digest> entries_;    // the leaves of the trace's tree
  std::optional<uint64_t> entry_;  // that was asked for last
  std::unique_ptr<LeafTree> value_, column_;
  std::optional<HonestColumns> expansion_;
  std::vector<Digest> columns_;  // their digests, and those as leaves
  std::vector<Digest> column_hashes_;
};

}  // namespace tally
