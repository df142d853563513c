// An accused of whom everything is at hand.
#pragma once

#include <memory>
#include <vector>

#include "proof/certificate/accused_parts.h"
#include "proof/certificate/leaf_tree.h"
#include "proof/certificate/recorded_run.h"

namespace tally {

class AccusedRun final : public AccusedParts {
 public:
  // `run` outlives this.
  explicit AccusedRun(const RecordedRun& run);

  // The value that is accused: an input, a result or an entry of the run, or another tensor.
  void Accuse(const ValueName& name);
  void Accuse(const TensorView& value);

  uint64_t entries() const override { return run_.trace.size(); }
  TraceEntry Entry(uint64_t number) const override { return run_.trace[number]; }
  Digest TracePart(uint64_t first, uint64_t size) const override;
  Digest ValuePart(uint64_t first, uint64_t size) const override { return value_->Part(first, size); }
  std::vector<uint8_t> Leaf(uint64_t leaf) const override;
  std::vector<uint8_t> Header() const override { return header_; }

 private:
  const RecordedRun& run_;
  std::vector<Digest> entry_hashes_;
  std::unique_ptr<LeafTree> value_;
  std::vector<uint8_t> header_;
};

}  // namespace tally
