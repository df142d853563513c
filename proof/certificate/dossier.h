// Collects what a judgement reads, while it is made from the values of an honest run; the certificate opens
// that.
//
//   Dossier dossier(claimed, honest);
//   Referee<TrappingInt> referee(claimed.module, dossier.committed(), dossier);
//   referee.Judge(place, element).IgnoreError();
//   const Certificate certificate = dossier.Close(accused, std::move(head));
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "proof/certificate/accused_parts.h"
#include "proof/certificate/leaf_tree.h"
#include "proof/certificate/recorded_run.h"
#include "vm/element_steps.h"
#include "vm/referee.h"
#include "vm/wide_part.h"

namespace tally {

// The expansion of a part of an element, as the honest run has it.
struct HonestColumns {
  WidePart part;
  std::vector<Tensor> columns;  // each in the storage in which it is committed to
};

class Dossier final : public KnownElements, public KnownColumns {
 public:
  // `honest` and the accused have the entries in common that are read. Arguments outlive this.
  Dossier(const ClaimedModule& claimed, const RecordedRun& honest, const HonestColumns* columns = nullptr);

  const CommittedValues& committed() const { return committed_; }

  // Bytes of leaves that have been read, and entries of recipes.
  int64_t bytes() const { return bytes_; }
  int64_t recipe_entries() const { return std::ssize(recipe_entries_); }

  absl::StatusOr<int64_t> Read(const ValuePlace& place, int64_t element) override;
  absl::StatusOr<int64_t> Read(int column, int64_t i) override;
  std::optional<int64_t> Expanded(const ValuePlace& place, int64_t element) override;

  // Opens an entry, and the leaf that has an element of a value of the honest run.
  void OpenEntry(uint64_t number) { entries_.insert(number); }
  int64_t Open(const ValueName& name, int64_t element);

  // `head` with what has been opened, and with the leaf of the accused that has head.element, if it is an
  // element that is accused. Of the accused value the accused has the leaves.
  Certificate Close(const AccusedParts& accused, Certificate head) const;

 private:
  TensorView HonestValue(const ValueName& name) const;
  ValueOpening OpenHonest(const ValueName& name, const std::set<uint64_t>& leaves) const;
  ValueOpening OpenAccused(const ValueName& name, uint64_t leaf, const AccusedParts& accused) const;

  const ClaimedModule& claimed_;
  const RecordedRun& honest_;
  const HonestColumns* columns_;
  CommittedValues committed_;
  std::map<ValuePlace, uint64_t> entry_at_;

  std::set<uint64_t> entries_, recipes_;
  std::set<std::pair<uint64_t, int64_t>> recipe_entries_;  // by constant and element
  std::map<ValueName, std::set<uint64_t>> leaves_;
  int64_t bytes_ = 0;
};

}  // namespace tally
