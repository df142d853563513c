#include "proof/dispute/dispute_referee.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/merkle.h"
#include "base/strings.h"
#include "base/tensor_leaves.h"
#include "proof/certificate/certificate.h"
#include "proof/labels.h"
#include "proof/trace/trace_entry.h"
#include "serializer/tensor_digest.h"

namespace tally {

absl::Status DisputeReferee::CheckTurn(Party party) const {
  if (end_) return MakeError(label::dispute_turn, "the dispute is over");
  if (turn() != party) return MakeError(label::dispute_turn, "the other party is to move");
  return absl::OkStatus();
}

KnownTree* DisputeReferee::TreeOf(Subject subject) {
  const auto of = [](std::optional<KnownTree>& tree) { return tree ? &*tree : nullptr; };
  switch (subject) {
    case Subject::kTrace: return &trace_;
    case Subject::kValue: return of(value_);
    case Subject::kColumns: return of(columns_);
    case Subject::kColumn: return of(column_);
    case Subject::kResult:
    case Subject::kExpansion: break;
  }
  return nullptr;
}

absl::Status DisputeReferee::Ask(const Query& query) {
  if (absl::Status status = CheckTurn(Party::kChallenger); !status.ok()) return status;
  KnownTree* tree = TreeOf(query.subject);
  bool possible = tree != nullptr && query.part.size > 0 && tree->Find(query.part) != nullptr;
  if (query.subject == Subject::kResult) possible = query.part.first < opening_.results.size();
  if (query.subject == Subject::kExpansion) possible = entry_.has_value();
  if (!possible || queries_ == kMostQueries)
    return MakeError(label::dispute_query,
                     "nothing is known that the query asks about, or it is one too many");
  ++queries_;
  asked_ = query;
  return absl::OkStatus();
}

bool DisputeReferee::LearnHeader(const Digest& digest, std::span<const uint8_t> header,
                                 std::optional<KnownTree>& tree) {
  tree.reset();
  if (TensorHeaderDigest(header) != digest) return false;
  // A header that is none has no leaves to ask for: it is what the accused is convicted of.
  if (const auto fields = DecodeTensorHeader(header); fields.ok()) {
    const TensorLeaves leaves(fields->storage, fields->shape, fields->layout);
    tree.emplace(static_cast<uint64_t>(leaves.count()), fields->root);
  }
  return true;
}

bool DisputeReferee::IsAnswer(const tally::Answer& answer) {
  const TreePart part = asked_->part;
  if (asked_->subject == Subject::kResult) {
    entry_.reset();
    return LearnHeader(opening_.results[part.first], answer.header, value_);
  }
  if (asked_->subject == Subject::kExpansion) {
    if (answer.columns == 0 || answer.roots.size() != 1) return false;
    columns_.emplace(answer.columns, answer.roots[0]);
    const ColumnsOpening opening = {
        *entry_,
        part.first,
        {.count = answer.columns, .root = answer.roots[0], .opened = {}, .siblings = {}}};
    expansion_ = ColumnsDigest(opening_.trace(), opening);
    return true;
  }
  KnownTree& tree = *TreeOf(asked_->subject);
  if (part.size > 1) return tree.Learn(part, answer.roots);
  if (MerkleLeafHash(answer.leaf) != *tree.Find(part)) return false;
  if (asked_->subject == Subject::kColumns) {
    Digest digest;
    if (answer.leaf.size() != digest.size()) return false;
    std::ranges::copy(answer.leaf, digest.begin());
    return LearnHeader(digest, answer.header, column_);
  }
  if (asked_->subject != Subject::kTrace) return true;
  const auto entry = DecodeTraceEntry(answer.leaf);
  entry_ = part.first;
  return entry.ok() && LearnHeader(entry->value, answer.header, value_);
}

absl::Status DisputeReferee::Answer(const tally::Answer& answer) {
  if (absl::Status status = CheckTurn(Party::kAsserter); !status.ok()) return status;
  ++answers_;
  if (!IsAnswer(answer)) {
    end_ = {Party::kAsserter,
            MakeError(label::dispute_answer, "the answer is not what the asserter has committed to"),
            std::nullopt};
  }
  asked_.reset();
  return absl::OkStatus();
}

absl::Status DisputeReferee::Convict(std::span<const uint8_t> certificate) {
  if (absl::Status status = CheckTurn(Party::kChallenger); !status.ok()) return status;
  absl::StatusOr<Conviction> conviction = CheckCertificate<TrappingInt>(certificate);
  if (!conviction.ok()) {
    end_ = {Party::kChallenger, conviction.status(), std::nullopt};
    return absl::OkStatus();
  }
  const bool is_theirs = conviction->claim == ClaimId(opening_.claim) &&
                         conviction->trace.value_or(opening_.trace()) == opening_.trace() &&
                         (!conviction->columns || conviction->columns == expansion_);
  if (is_theirs) {
    end_ = {Party::kAsserter, absl::OkStatus(), *std::move(conviction)};
  } else {
    end_ = {Party::kChallenger, MakeError(label::dispute_other, "the certificate convicts somebody else"),
            std::nullopt};
  }
  return absl::OkStatus();
}

void DisputeReferee::TimeOut() {
  if (!end_)
    end_ = {turn(), MakeError(label::dispute_time, "the party that was to move did not"), std::nullopt};
}

}  // namespace tally
