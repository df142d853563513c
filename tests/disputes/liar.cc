#include "tests/disputes/liar.h"

#include <algorithm>
#include <span>

#include "base/hash/merkle.h"
#include "base/hash/tensor_leaves.h"
#include "proof/certificate/leaf_tree.h"
#include "proof/receipt/io_map.h"
#include "serializer/tensor_digest.h"

namespace tally {
namespace {

std::vector<Digest> HashesOf(const std::vector<Bytes>& leaves) {
  std::vector<Digest> hashes;
  for (const Bytes& leaf : leaves) hashes.push_back(MerkleLeafHash(leaf));
  return hashes;
}

std::vector<Bytes> LeavesOf(const std::vector<SaidLeaf>& said) {
  std::vector<Bytes> leaves;
  for (const SaidLeaf& one : said) leaves.push_back(one.leaf);
  return leaves;
}

SaidValue Committed(const Tensor& tensor, std::vector<Bytes> leaves) {
  SaidValue value = {.leaves = std::move(leaves), .header = {}, .digest = {}};
  value.header = TensorHeader(tensor.storage(), tensor.shape(), CommittedLayout(tensor.shape()),
                              MerkleRoot(HashesOf(value.leaves)));
  return value;
}

// The answer about a part of a tree; an error where it is beyond the leaves.
absl::StatusOr<Answer> Show(const TreePart& part, const std::vector<Bytes>& leaves) {
  if (part.size == 0 || part.first >= leaves.size() || part.size > leaves.size() - part.first)
    return absl::NotFoundError("nothing there");
  Answer answer;
  if (part.size == 1) {
    answer.leaf = leaves[part.first];
    return answer;
  }
  const std::vector<Digest> hashes = HashesOf(leaves);
  for (const TreePart& below : PartsBelow(part, kLevelsOfAnswer))
    answer.roots.push_back(MerkleRoot(std::span(hashes).subspan(below.first, below.size)));
  return answer;
}

absl::StatusOr<Answer> WithHeader(absl::StatusOr<Answer> answer, const TreePart& part,
                                  const std::vector<SaidLeaf>& said) {
  if (answer.ok() && part.size == 1) answer->header = said[part.first].value.header;
  return answer;
}

}  // namespace

SaidValue SaidValue::Of(const Tensor& tensor) {
  const LeafTree tree(tensor.view(), CommittedLayout(tensor.shape()));
  std::vector<Bytes> leaves;
  for (uint64_t i = 0; i < tree.count(); ++i) leaves.emplace_back(tree.Leaf(i).begin(), tree.Leaf(i).end());
  return tally::Committed(tensor, std::move(leaves));
}

Digest SaidValue::Committed() const { return digest.value_or(TensorHeaderDigest(header)); }

std::vector<SaidValue> WrongValues(const Tensor& tensor) {
  const SaidValue right = SaidValue::Of(tensor);
  std::vector<SaidValue> wrong;
  const auto with_leaf = [&](size_t leaf, auto change) {
    std::vector<Bytes> leaves = right.leaves;
    change(leaves[leaf]);
    wrong.push_back(tally::Committed(tensor, std::move(leaves)));
  };
  with_leaf(0, [](Bytes& leaf) { leaf.front() ^= 1; });
  with_leaf(right.leaves.size() - 1, [](Bytes& leaf) { leaf.back() ^= 0x40; });
  with_leaf(0, [](Bytes& leaf) { leaf.pop_back(); });
  with_leaf(0, [](Bytes& leaf) { leaf.push_back(0); });
  with_leaf(0, [](Bytes& leaf) { leaf.clear(); });
  with_leaf(0, [](Bytes& leaf) { leaf.resize(kMostLeafOfAnswer + 1); });
  if (tensor.storage() != Storage::kI64) {
    wrong.push_back(SaidValue::Of(
        Tensor::Copy(tensor.view(), static_cast<Storage>(static_cast<int>(tensor.storage()) + 1))));
  }
  const Shape more = *Shape::Create({1, 1, tensor.shape().num_elements()});
  wrong.push_back(SaidValue::Of(Tensor::Copy({tensor.storage(), more, tensor.bytes()}, tensor.storage())));
  const auto with_header = [&](Bytes header) {
    wrong.push_back({.leaves = right.leaves, .header = std::move(header), .digest = {}});
  };
  with_header(TensorHeader(tensor.storage(), tensor.shape(), Layout::kChannelsLast,
                           MerkleRoot(HashesOf(right.leaves))));
  with_header(TensorHeader(tensor.storage(), tensor.shape(), CommittedLayout(tensor.shape()), Digest()));
  with_header({1, 2, 3});
  with_header({});
  with_header(Bytes(kMaxTensorHeaderBytes + 1, 7));
  wrong.push_back({.leaves = right.leaves, .header = right.header, .digest = Digest()});
  return wrong;
}

void Liar::Commit() {
  opening.entries = entries.size();
  opening.trace_root = MerkleRoot(HashesOf(LeavesOf(entries)));
  opening.results.clear();
  for (const SaidValue& result : results) opening.results.push_back(result.Committed());
  opening.claim.results = IoMapDigest(opening.results);
}

absl::StatusOr<Answer> LyingAsserter::Reply(const Query& query) {
  const TreePart& part = query.part;
  switch (query.subject) {
    case Subject::kTrace: {
      auto answer = WithHeader(Show(part, LeavesOf(liar_->entries)), part, liar_->entries);
      if (answer.ok() && part.size == 1) {
        entry_ = part.first;
        value_ = &liar_->entries[part.first].value;
      }
      return answer;
    }
    case Subject::kResult: {
      if (part.first >= liar_->results.size()) break;
      value_ = &liar_->results[part.first];
      return Answer{.roots = {}, .columns = 0, .leaf = {}, .header = value_->header};
    }
    case Subject::kValue:
      if (value_ == nullptr) break;
      return Show(part, value_->leaves);
    case Subject::kExpansion: {
      if (!entry_) break;
      columns_ = liar_->expand(*entry_, part.first);
      if (columns_.empty()) return Answer();
      return Answer{.roots = {MerkleRoot(HashesOf(LeavesOf(columns_)))},
                    .columns = columns_.size(),
                    .leaf = {},
                    .header = {}};
    }
    case Subject::kColumns:
      if (part.size == 1) column_ = part.first;
      return WithHeader(Show(part, LeavesOf(columns_)), part, columns_);
    case Subject::kColumn:
      if (!column_ || *column_ >= columns_.size()) break;
      return Show(part, columns_[*column_].value.leaves);
  }
  return absl::NotFoundError("nothing there");
}

std::vector<Answer> OtherAnswers(const Answer& answer) {
  std::vector<Answer> others;
  const auto with = [&](auto change) {
    Answer other = answer;
    change(other);
    if (!(other == answer)) others.push_back(std::move(other));
  };
  with([](Answer& a) { a = Answer(); });
  with([](Answer& a) { a.roots.emplace_back(); });
  with([](Answer& a) { a.roots.resize(17); });
  with([](Answer& a) {
    if (!a.roots.empty()) a.roots.pop_back();
  });
  with([](Answer& a) {
    if (!a.roots.empty()) a.roots.front()[0] ^= 1;
  });
  with([](Answer& a) { a.columns += 1; });
  with([](Answer& a) { a.leaf.push_back(0); });
  with([](Answer& a) {
    if (!a.leaf.empty()) a.leaf.pop_back();
  });
  with([](Answer& a) { a.leaf.resize(100'000); });
  with([](Answer& a) { a.header.push_back(0); });
  with([](Answer& a) { a.header.clear(); });
  with([](Answer& a) { a.header.resize(100'000); });
  return others;
}

}  // namespace tally
