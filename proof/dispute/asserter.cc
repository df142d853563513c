#include "proof/dispute/asserter.h"

#include <utility>

#include "base/error.h"
#include "base/hash/merkle.h"
#include "base/status_macros.h"
#include "proof/labels.h"
#include "serializer/tensor_digest.h"

namespace tally {
namespace {

absl::Status NoAnswer() {
  return MakeError(label::dispute_query, "the query is about a tree that is not open");
}

// The reason for which a part of a tree is asked.
template <typename RootOf, typename LeafOf>
Answer Show(const TreePart& part, RootOf root_of, LeafOf leaf_of) {
  Answer answer;
  if (part.size == 1) {
    const auto leaf = leaf_of(part.first);
    answer.leaf.assign(leaf.begin(), leaf.end());
    return answer;
  }
  for (const TreePart& below : PartsBelow(part, kLevelsOfAnswer)) answer.roots.push_back(root_of(below));
  return answer;
}

Digest RootIn(const std::vector<Digest>& hashes, const TreePart& part) {
  return MerkleRoot(std::span(hashes).subspan(part.first, part.size));
}

Answer Show(const TreePart& part, const LeafTree& tree) {
  return Show(
      part, [&](const TreePart& below) { return tree.Part(below.first, below.size); },
      [&](uint64_t leaf) { return tree.Leaf(leaf); });
}

}  // namespace

Asserter::Asserter(const ClaimedModule& claimed, const RecordedRun& run) : claimed_(claimed), run_(run) {
  for (const TraceEntry& entry : run.trace) entries_.push_back(MerkleLeafHash(EncodeTraceEntry(entry)));
}

DisputeOpening Asserter::opening() const {
  return {run_.claim, run_.input_digests, run_.result_digests, entries_.size(), MerkleRoot(entries_)};
}

void Asserter::TakeUp(const Tensor& tensor, std::unique_ptr<LeafTree>* tree, Answer* answer) {
  const TensorView view = tensor.view();
  const Layout layout = CommittedLayout(view.shape);
  *tree = std::make_unique<LeafTree>(view, layout);
  answer->header = TensorHeader(view.storage, view.shape, layout, (*tree)->Part(0, (*tree)->count()));
}

absl::StatusOr<Answer> Asserter::Expand(uint64_t element) {
  if (!entry_) return NoAnswer();
  ASSIGN_OR_RETURN(expansion_, tally::Expand(claimed_, run_, *entry_, element));
  if (!expansion_) return Answer();  // it has no columns
  for (const Tensor& column : expansion_->columns) {
    columns_.push_back(ValueDigest(column.view()));
    column_hashes_.push_back(MerkleLeafHash(columns_.back()));
  }
  return Answer{.roots = {MerkleRoot(column_hashes_)}, .columns = columns_.size(), .leaf = {}, .header = {}};
}

absl::StatusOr<Answer> Asserter::Reply(const Query& query) {
  const TreePart& part = query.part;
  Answer answer;
  switch (query.subject) {
    case Subject::kTrace:
      answer = Show(
          part, [&](const TreePart& below) { return RootIn(entries_, below); },
          [&](uint64_t number) { return EncodeTraceEntry(run_.trace[number]); });
      if (part.size == 1) {
        entry_ = part.first;
        TakeUp(run_.values[part.first], &value_, &answer);
      }
      return answer;
    case Subject::kResult:
      entry_.reset();
      TakeUp(run_.results[part.first], &value_, &answer);
      return answer;
    case Subject::kValue: return value_ ? absl::StatusOr<Answer>(Show(part, *value_)) : NoAnswer();
    case Subject::kExpansion: return Expand(part.first);
    case Subject::kColumns:
      if (!expansion_) return NoAnswer();
      answer = Show(
          part, [&](const TreePart& below) { return RootIn(column_hashes_, below); },
          [&](uint64_t number) { return columns_[number]; });
      if (part.size == 1) TakeUp(expansion_->columns[part.first], &column_, &answer);
      return answer;
    case Subject::kColumn: return column_ ? absl::StatusOr<Answer>(Show(part, *column_)) : NoAnswer();
  }
  return NoAnswer();
}

}  // namespace tally
