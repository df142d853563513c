#include "proof/certificate/accused_run.h"

#include "serializer/tensor_digest.h"

namespace tally {

AccusedRun::AccusedRun(const RecordedRun& run) : run_(run) {
  for (const TraceEntry& entry : run.trace) entry_hashes_.push_back(MerkleLeafHash(EncodeTraceEntry(entry)));
}

void AccusedRun::Accuse(const ValueName& name) {
  const std::vector<Tensor>& values = name.kind == ValueKind::kInput    ? run_.inputs
                                      : name.kind == ValueKind::kResult ? run_.results
                                                                        : run_.values;
  Accuse(values[name.index].view());
}

void AccusedRun::Accuse(const TensorView& value) {
  const Layout layout = CommittedLayout(value.shape);
  value_ = std::make_unique<LeafTree>(value, layout);
  header_ = TensorHeader(value.storage, value.shape, layout, ValuePart(0, value_->count()));
}

Digest AccusedRun::TracePart(uint64_t first, uint64_t size) const {
  return MerkleRoot(std::span(entry_hashes_).subspan(first, size));
}

std::vector<uint8_t> AccusedRun::Leaf(uint64_t leaf) const {
  const auto bytes = value_->Leaf(leaf);
  return {bytes.begin(), bytes.end()};
}

}  // namespace tally
