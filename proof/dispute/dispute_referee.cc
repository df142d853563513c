#include "proof/dispute/dispute_referee.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/hash/merkle.h"
#include "base/hash/tensor_leaves.h"
#include "base/strings.h"
#include "proof/certificate/certificate.h"
#include "proof/labels.h"
#include "proof/receipt/io_map.h"
#include "proof/trace/trace_entry.h"
#include "serializer/tensor_digest.h"

namespace tally {
namespace {

// Whether an opening is of the claim that was signed, and commits to what it says.
absl::Status CheckOpening(const DisputedClaim& disputed, const DisputeOpening& opening) {
  const auto refuse = [](std::string_view what) { return MakeError(label::dispute_opening, what); };
  if (opening.claim != disputed.claim) return refuse("the claim is another one than was signed");
  if (opening.claim.bounds != disputed.bounds)
    return MakeError(label::dispute_bounds, "the claim has other bounds than its module");
  if (IoMapDigest(opening.inputs) != opening.claim.inputs) return refuse("the claim has other inputs");
  if (IoMapDigest(opening.results) != opening.claim.results) return refuse("the claim has other results");
  if (disputed.trace && opening.trace() != *disputed.trace)
    return refuse("the trace is another one than was signed");
  if (opening.entries == 0 && opening.trace_root != MerkleRoot({}))
    return refuse("a trace of no entries has another root");
  return absl::OkStatus();
}

// An answer has what was asked for and nothing else.
bool HasForm(const Query& query, const Answer& answer) {
  const bool is_leaf = query.part.size == 1;
  const auto has = [&](bool roots, bool columns, bool leaf, bool header) {
    return (roots || answer.roots.empty()) && (columns || answer.columns == 0) &&
           (leaf || answer.leaf.empty()) && (header || answer.header.empty());
  };
  if (answer.leaf.size() > kMostLeafOfAnswer || answer.header.size() > kMaxTensorHeaderBytes) return false;
  switch (query.subject) {
    case Subject::kTrace:
    case Subject::kColumns: return has(!is_leaf, false, is_leaf, is_leaf);
    case Subject::kResult: return has(false, false, false, true);
    case Subject::kValue:
    case Subject::kColumn: return has(!is_leaf, false, is_leaf, false);
    case Subject::kExpansion: return has(true, true, false, false);
  }
  return false;
}

}  // namespace

absl::StatusOr<DisputeReferee> DisputeReferee::Of(const DisputedClaim& disputed, DisputeOpening opening) {
  if (disputed.claim.status != kRan)
    return MakeError(label::dispute_claim, "the claim is of a run that was refused: run its inputs again");
  DisputeReferee referee(std::move(opening));
  if (absl::Status status = CheckOpening(disputed, referee.opening_); !status.ok())
    referee.end_ = {Party::kAsserter, std::move(status), std::nullopt};
  return referee;
}

absl::Status DisputeReferee::CheckTurn(Party party) const {
  if (end_) return MakeError(label::dispute_turn, "the dispute is over");
  if (turn() != party) return MakeError(label::dispute_turn, "the other party is to move");
  return absl::OkStatus();
}

const KnownTree* DisputeReferee::TreeOf(Subject subject) const {
  const auto of = [](const std::optional<KnownTree>& tree) { return tree ? &*tree : nullptr; };
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

// Whether the query goes on from the last answer: to a part of a tree below the one that was shown, or from
// a leaf of one tree to all of the next.
bool DisputeReferee::MayAsk(const Query& query) const {
  const auto is_all_of = [&](Subject subject) {
    const KnownTree* tree = TreeOf(subject);
    return query.subject == subject && tree != nullptr && tree->count() > 0 && query.part == tree->All();
  };
  const auto is_one_below = [&](Subject subject, uint64_t count) {
    return query.subject == subject && query.part.size == 1 && query.part.first < count;
  };
  if (!answered_)
    return is_all_of(Subject::kTrace) || is_one_below(Subject::kResult, opening_.results.size());
  if (answered_->part.size > 1) {
    return query.subject == answered_->subject &&
           std::ranges::count(PartsBelow(answered_->part, kLevelsOfAnswer), query.part) > 0;
  }
  switch (answered_->subject) {
    case Subject::kTrace:
    case Subject::kResult: return is_all_of(Subject::kValue);
    case Subject::kValue: return entry_ && is_one_below(Subject::kExpansion, elements_);
    case Subject::kExpansion: return is_all_of(Subject::kColumns);
    case Subject::kColumns: return is_all_of(Subject::kColumn);
    case Subject::kColumn: break;
  }
  return false;
}

absl::Status DisputeReferee::Ask(const Query& query) {
  if (absl::Status status = CheckTurn(Party::kChallenger); !status.ok()) return status;
  if (!MayAsk(query))
    return MakeError(label::dispute_query, "the last answer has not shown what the query is about");
  asked_ = query;
  return absl::OkStatus();
}

bool DisputeReferee::LearnHeader(const Digest& digest, std::span<const uint8_t> header,
                                 std::optional<KnownTree>& tree) {
  if (TensorHeaderDigest(header) != digest) return false;
  // A header that no tensor has names no leaves to ask for: it is what the accused is convicted of.
  if (const auto fields = DecodeTensorHeader(header); fields.ok()) {
    const TensorLeaves leaves(fields->storage, fields->shape, fields->layout);
    tree.emplace(static_cast<uint64_t>(leaves.count()), fields->root);
    elements_ = static_cast<uint64_t>(fields->shape.num_elements());
  }
  return true;
}

// The number of columns and their root; of an element without an expansion 0, and no root.
bool DisputeReferee::LearnExpansion(uint64_t element, const tally::Answer& answer) {
  if (answer.roots.size() != (answer.columns == 0 ? 0 : 1)) return false;
  const Digest root = answer.columns == 0 ? MerkleRoot({}) : answer.roots[0];
  columns_.emplace(answer.columns, root);
  expansion_ = ColumnsDigest(
      opening_.trace(),
      {*entry_, element, {.count = answer.columns, .root = root, .opened = {}, .siblings = {}}});
  return true;
}

bool DisputeReferee::IsAnswer(const Query& query, const tally::Answer& answer) {
  if (!HasForm(query, answer)) return false;
  const TreePart& part = query.part;
  if (query.subject == Subject::kResult)
    return LearnHeader(opening_.results[part.first], answer.header, value_);
  if (query.subject == Subject::kExpansion) return LearnExpansion(part.first, answer);
  KnownTree& tree = *TreeOf(query.subject);
  if (part.size > 1) return tree.Learn(part, answer.roots);
  if (MerkleLeafHash(answer.leaf) != *tree.Find(part)) return false;
  if (query.subject == Subject::kColumns) {
    Digest digest;
    if (answer.leaf.size() != digest.size()) return false;
    std::ranges::copy(answer.leaf, digest.begin());
    return LearnHeader(digest, answer.header, column_);
  }
  if (query.subject != Subject::kTrace) return true;
  const auto entry = DecodeTraceEntry(answer.leaf);
  entry_ = part.first;
  return entry.ok() && LearnHeader(entry->value, answer.header, value_);
}

absl::Status DisputeReferee::Answer(const tally::Answer& answer) {
  if (absl::Status status = CheckTurn(Party::kAsserter); !status.ok()) return status;
  ++answers_;
  if (!IsAnswer(*asked_, answer)) {
    end_ = {Party::kAsserter,
            MakeError(label::dispute_answer, "the answer is not what the asserter has committed to"),
            std::nullopt};
  }
  answered_ = std::exchange(asked_, std::nullopt);
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
