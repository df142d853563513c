// An asserter that commits to anything: what it says is hashed as it is, and what it is asked for is shown.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "base/tensor.h"
#include "proof/dispute/messages.h"

namespace tally {

using Bytes = std::vector<uint8_t>;

// A value that is committed to: the leaves of its tree, and the header that its digest is of.
struct SaidValue {
  std::vector<Bytes> leaves;
  Bytes header;
  std::optional<Digest> digest;  // where it is of nothing that can be shown

  static SaidValue Of(const Tensor& tensor);
  Digest Committed() const;
};

// Values like that of a tensor, each wrong in a way of its own: in an element, in the size of a leaf, in its
// type, in a header that no tensor has, or in a digest of nothing.
std::vector<SaidValue> WrongValues(const Tensor& tensor);

// An entry or the digest of a column: a leaf of a tree, with the value that it names.
struct SaidLeaf {
  Bytes leaf;
  SaidValue value;
};

struct Liar {
  DisputeOpening opening;
  std::vector<SaidLeaf> entries;
  std::vector<SaidValue> results;
  // The columns that it sends for an element of an entry.
  std::function<std::vector<SaidLeaf>(uint64_t entry, uint64_t element)> expand;

  // Commits to its entries and results as they are.
  void Commit();
};

// Answers like this one, each other than it.
std::vector<Answer> OtherAnswers(const Answer& answer);

// Answers for a liar. Copies go on each on their own.
class LyingAsserter {
 public:
  explicit LyingAsserter(const Liar& liar) : liar_(&liar) {}

  // An error where it has nothing to show.
  absl::StatusOr<Answer> Reply(const Query& query);

 private:
  const Liar* liar_;
  std::optional<uint64_t> entry_;
  const SaidValue* value_ = nullptr;
  std::vector<SaidLeaf> columns_;
  std::optional<uint64_t> column_;
};

}  // namespace tally
