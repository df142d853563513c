// The party that has run the claim itself, and shows where it is wrong.
//
//   Challenger challenger(claimed, honest, opening);
//   ASSIGN_OR_RETURN(Move move, challenger.Begin());
//   while (const Query* query = std::get_if<Query>(&move)) move = *challenger.Hear(answer);
//   std::get<Certificate>(move);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "absl/status/statusor.h"
#include "ops/expansions.h"
#include "proof/certificate/convict.h"
#include "proof/certificate/leaf_tree.h"
#include "proof/certificate/recorded_run.h"
#include "proof/dispute/known_tree.h"
#include "proof/dispute/messages.h"

namespace tally {

// Nothing is wrong.
struct Agreement {};
using Move = std::variant<Agreement, Query, Certificate>;

class Challenger {
 public:
  // Arguments outlive this. An element that is judged by more bytes of leaves than `most_direct` is judged by
  // its expansion, where it has one.
  Challenger(const ClaimedModule& claimed, const RecordedRun& honest, DisputeOpening opening,
             int64_t most_direct = kMostLeafBytes);

  // The first move, and the one after an answer that the referee has let pass. Errors: claim_module,
  // dispute_bounds, claim_inputs, where the honest run is of another module or of other inputs; those of the
  // judgement.
  absl::StatusOr<Move> Begin();
  absl::StatusOr<Move> Hear(const Answer& answer);

 private:
  class Shown;  // the parts of the accused that the certificate needs

  absl::StatusOr<Move> BeginResults();
  absl::StatusOr<Move> Ask(Subject subject, const TreePart& part);
  absl::StatusOr<Move> HearEntry(const Answer& answer);
  absl::StatusOr<Move> HearValue(const Answer& answer);
  absl::StatusOr<Move> HearLeaf(const Answer& answer);
  absl::StatusOr<Move> HearExpansion(const Answer& answer);
  absl::StatusOr<Move> HearColumn(const Answer& answer);
  absl::StatusOr<Move> HearColumnLeaf(const Answer& answer);
  absl::StatusOr<Move> AskBelow(const KnownTree& tree, uint64_t ours, const PartRoot& root_of);

  Prosecutor ProsecutorOf(const AccusedParts& accused) const;

  const ClaimedModule& claimed_;
  const RecordedRun& honest_;
  const DisputeOpening opening_;
  const int64_t most_direct_;

  Query asked_;
  KnownTree trace_;
  std::vector<Digest> entry_hashes_;  // ours
  ValueName accused_;
  std::optional<TraceEntry> entry_;  // theirs, of that name
  std::vector<uint8_t> header_, leaf_;
  uint64_t leaf_number_ = 0;  // theirs that is accused; those before it are ours
  std::optional<KnownTree> value_;
  std::unique_ptr<LeafTree> our_value_;
  uint64_t element_ = 0;

  std::optional<HonestColumns> expansion_;
  std::vector<Digest> column_digests_, column_hashes_;  // ours
  std::optional<KnownTree> columns_, column_;
  uint64_t column_number_ = 0;
  std::optional<Digest> column_digest_;  // theirs, of that number
  std::unique_ptr<LeafTree> our_column_;
};

}  // namespace tally
