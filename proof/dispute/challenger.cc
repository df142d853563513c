#include "proof/dispute/challenger.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/hash/merkle.h"
#include "base/status_macros.h"
#include "proof/labels.h"
#include "serializer/tensor_digest.h"

namespace tally {
namespace {

PartRoot RootsIn(const std::vector<Digest>& hashes) {
  return
      [&hashes](uint64_t first, uint64_t size) { return MerkleRoot(std::span(hashes).subspan(first, size)); };
}

PartRoot RootsOf(const LeafTree& tree) {
  return [&tree](uint64_t first, uint64_t size) { return tree.Part(first, size); };
}

// The tree that a header names, if it is one of values of our type.
std::optional<KnownTree> TreeOfType(std::span<const uint8_t> header, const Tensor& ours,
                                    const LeafTree& our_tree) {
  const auto fields = DecodeTensorHeader(header);
  if (!fields.ok() || fields->storage != ours.storage() || fields->shape != ours.shape() ||
      fields->layout != CommittedLayout(ours.shape())) {
    return std::nullopt;
  }
  return KnownTree(our_tree.count(), fields->root);
}

// The element of the leaf that is the first to differ; the first of all where the leaf has another size.
uint64_t FirstDifference(const LeafTree& ours, Storage storage, uint64_t leaf,
                         std::span<const uint8_t> theirs) {
  const auto bytes = ours.Leaf(leaf);
  int64_t offset = 0;
  if (bytes.size() == theirs.size()) {
    offset = std::ranges::mismatch(bytes, theirs).in1 - bytes.begin();
    offset -= offset % SizeBytes(storage);
  }
  return static_cast<uint64_t>(ours.leaves().ElementAt({static_cast<int64_t>(leaf), offset}));
}

}  // namespace

class Challenger::Shown final : public AccusedParts {
 public:
  explicit Shown(const Challenger& c) : c_(c) {}

  uint64_t entries() const override { return c_.trace_.count(); }
  TraceEntry Entry(uint64_t number) const override {
    return c_.entry_ && number == EntryNumber() ? *c_.entry_ : c_.honest_.trace[number];
  }
  Digest TracePart(uint64_t first, uint64_t size) const override {
    return c_.trace_.RootOf({first, size}, EntryNumber(), RootsIn(c_.entry_hashes_));
  }
  Digest ValuePart(uint64_t first, uint64_t size) const override {
    const auto& [theirs, ours] =
        IsColumn() ? std::tie(c_.column_, c_.our_column_) : std::tie(c_.value_, c_.our_value_);
    return theirs->RootOf({first, size}, c_.leaf_number_, RootsOf(*ours));
  }
  std::vector<uint8_t> Leaf(uint64_t) const override { return c_.leaf_; }
  std::vector<uint8_t> Header() const override { return c_.header_; }

  uint64_t columns() const override { return c_.columns_ ? c_.columns_->count() : 0; }
  Digest ColumnsPart(uint64_t first, uint64_t size) const override {
    const uint64_t agreed = c_.column_digest_ ? c_.column_number_ : c_.column_hashes_.size();
    return c_.columns_->RootOf({first, size}, agreed, RootsIn(c_.column_hashes_));
  }
  Digest Column(uint64_t number) const override {
    return c_.column_digest_ && number == c_.column_number_ ? *c_.column_digest_ : c_.column_digests_[number];
  }

 private:
  bool IsColumn() const { return c_.column_digest_.has_value(); }
  // Entries before it are ours.
  uint64_t EntryNumber() const { return c_.entry_ ? c_.accused_.index : c_.trace_.count(); }

  const Challenger& c_;
};

Challenger::Challenger(const ClaimedModule& claimed, const RecordedRun& honest, DisputeOpening opening,
                       int64_t most_direct)
    : claimed_(claimed),
      honest_(honest),
      opening_(std::move(opening)),
      most_direct_(most_direct),
      trace_(opening_.entries, opening_.trace_root) {
  for (const TraceEntry& entry : honest.trace)
    entry_hashes_.push_back(MerkleLeafHash(EncodeTraceEntry(entry)));
}

Prosecutor Challenger::ProsecutorOf(const AccusedParts& accused) const {
  return {claimed_, honest_, accused,
          CertificateHead(claimed_, opening_.claim, opening_.inputs, opening_.results)};
}

absl::StatusOr<Move> Challenger::Ask(Subject subject, const TreePart& part) {
  asked_ = {subject, part};
  return asked_;
}

// Asks about the first part below the last one that is not ours.
absl::StatusOr<Move> Challenger::AskBelow(const KnownTree& tree, uint64_t ours, const PartRoot& root_of) {
  const auto part = tree.FirstDifference(asked_.part, ours, root_of);
  if (!part) return absl::InternalError("parts are equal of which the whole differs");
  return Ask(asked_.subject, *part);
}

absl::StatusOr<Move> Challenger::Begin() {
  if (opening_.claim.module != claimed_.id)
    return MakeError(label::claim_module, "the claim is of another module");
  // A referee that knows the bounds has ended the dispute.
  if (opening_.claim.bounds != claimed_.bounds)
    return MakeError(label::dispute_bounds, "the claim has other bounds than its module");
  if (opening_.claim.inputs != honest_.claim.inputs)
    return MakeError(label::claim_inputs, "the claim is of other inputs");
  ASSIGN_OR_RETURN(auto certificate, AccuseClaim(claimed_, honest_, ProsecutorOf(Shown(*this)).head));
  if (certificate) return *std::move(certificate);
  const Shown shown(*this);
  const uint64_t theirs = trace_.count(), ours = entry_hashes_.size();
  const auto root_of = RootsIn(entry_hashes_);
  if (theirs > ours || root_of(0, theirs) != opening_.trace_root) return Ask(Subject::kTrace, trace_.All());
  if (theirs < ours) return ProsecutorOf(shown).AccuseOrder(theirs);
  return BeginResults();
}

absl::StatusOr<Move> Challenger::BeginResults() {
  const auto [theirs, ours] = std::ranges::mismatch(opening_.results, honest_.result_digests);
  if (theirs == opening_.results.end()) return Agreement();
  const auto number = static_cast<uint64_t>(theirs - opening_.results.begin());
  accused_ = {ValueKind::kResult, number};
  return Ask(Subject::kResult, {number, 1});
}

absl::StatusOr<Move> Challenger::Hear(const Answer& answer) {
  const bool is_leaf = asked_.part.size == 1;
  switch (asked_.subject) {
    case Subject::kTrace:
      if (is_leaf) return HearEntry(answer);
      trace_.Learn(asked_.part, answer.roots);
      return AskBelow(trace_, entry_hashes_.size(), RootsIn(entry_hashes_));
    case Subject::kResult: return HearValue(answer);
    case Subject::kValue:
      if (is_leaf) return HearLeaf(answer);
      value_->Learn(asked_.part, answer.roots);
      return AskBelow(*value_, our_value_->count(), RootsOf(*our_value_));
    case Subject::kExpansion: return HearExpansion(answer);
    case Subject::kColumns:
      if (is_leaf) return HearColumn(answer);
      columns_->Learn(asked_.part, answer.roots);
      return AskBelow(*columns_, column_hashes_.size(), RootsIn(column_hashes_));
    case Subject::kColumn:
      if (is_leaf) return HearColumnLeaf(answer);
      column_->Learn(asked_.part, answer.roots);
      return AskBelow(*column_, our_column_->count(), RootsOf(*our_column_));
  }
  return absl::InternalError("no such subject");
}

absl::StatusOr<Move> Challenger::HearEntry(const Answer& answer) {
  ASSIGN_OR_RETURN(entry_, DecodeTraceEntry(answer.leaf));
  const uint64_t number = asked_.part.first;
  accused_ = {ValueKind::kEntry, number};
  const bool ours = number < honest_.trace.size() && honest_.trace[number].id == entry_->id &&
                    honest_.trace[number].path == entry_->path;
  if (!ours) return ProsecutorOf(Shown(*this)).AccuseOrder(number);
  return HearValue(answer);
}

absl::StatusOr<Move> Challenger::HearValue(const Answer& answer) {
  header_ = answer.header;
  const Tensor& ours =
      accused_.kind == ValueKind::kResult ? honest_.results[accused_.index] : honest_.values[accused_.index];
  our_value_ = std::make_unique<LeafTree>(ours.view(), CommittedLayout(ours.shape()));
  value_ = TreeOfType(header_, ours, *our_value_);
  if (!value_) return ProsecutorOf(Shown(*this)).AccuseType(accused_);
  return Ask(Subject::kValue, value_->All());
}

absl::StatusOr<Move> Challenger::HearLeaf(const Answer& answer) {
  leaf_ = answer.leaf;
  leaf_number_ = asked_.part.first;
  const Tensor& ours =
      accused_.kind == ValueKind::kResult ? honest_.results[accused_.index] : honest_.values[accused_.index];
  element_ = FirstDifference(*our_value_, ours.storage(), asked_.part.first, leaf_);
  if (leaf_.size() != our_value_->Leaf(leaf_number_).size())
    return ProsecutorOf(Shown(*this)).AccuseLeaf(accused_, element_);
  if (accused_.kind == ValueKind::kEntry) {
    ASSIGN_OR_RETURN(const bool directly,
                     IsJudgedDirectly(claimed_, honest_, accused_.index, element_, most_direct_));
    if (!directly) {
      ASSIGN_OR_RETURN(expansion_, Expand(claimed_, honest_, accused_.index, element_));
    }
    if (expansion_) return Ask(Subject::kExpansion, {element_, 1});
  }
  return ProsecutorOf(Shown(*this)).AccuseElement(accused_, element_);
}

absl::StatusOr<Move> Challenger::HearExpansion(const Answer& answer) {
  columns_.emplace(answer.columns, answer.columns == 0 ? MerkleRoot({}) : answer.roots[0]);
  for (const Tensor& column : expansion_->columns) {
    column_digests_.push_back(ValueDigest(column.view()));
    column_hashes_.push_back(MerkleLeafHash(column_digests_.back()));
  }
  const Shown shown(*this);
  if (columns_->count() != column_hashes_.size())
    return ProsecutorOf(shown).AccuseColumns(accused_.index, element_);
  if (columns_->RootOf(columns_->All(), 0, nullptr) == MerkleRoot(column_hashes_))
    return ProsecutorOf(shown).AccuseElement(accused_, element_, &*expansion_);
  return Ask(Subject::kColumns, columns_->All());
}

absl::StatusOr<Move> Challenger::HearColumn(const Answer& answer) {
  column_number_ = asked_.part.first;
  std::ranges::copy(answer.leaf, column_digest_.emplace().begin());
  header_ = answer.header;
  const Tensor& ours = expansion_->columns[column_number_];
  our_column_ = std::make_unique<LeafTree>(ours.view(), CommittedLayout(ours.shape()));
  column_ = TreeOfType(header_, ours, *our_column_);
  if (column_) return Ask(Subject::kColumn, column_->All());
  return ProsecutorOf(Shown(*this)).AccuseColumnType(accused_.index, element_, *expansion_, column_number_);
}

absl::StatusOr<Move> Challenger::HearColumnLeaf(const Answer& answer) {
  leaf_ = answer.leaf;
  leaf_number_ = asked_.part.first;
  const uint64_t integer =
      FirstDifference(*our_column_, expansion_->columns[column_number_].storage(), asked_.part.first, leaf_);
  // A leaf of another size convicts too: the judge looks at its size first.
  return ProsecutorOf(Shown(*this))
      .AccuseStep(accused_.index, element_, *expansion_, column_number_, integer);
}

}  // namespace tally
