#include "ops/expansions.h"

#include <algorithm>
#include <stdexcept>

#include "base/hash/leaf_layout.h"
#include "ops/element.h"
#include "ops/op_rules.h"

namespace tally {

// A row without its function is a link error that names it.
#define TALLY_EXPANSION(Name, summary) \
  template <typename Int>              \
  void Expand##Name(Expansion<Int>& e);
#include "ops/all_expansions.inc"
#undef TALLY_EXPANSION

namespace {

// An operand of which there are the elements of a region, in a column.
template <typename Int>
class PartSource final : public ElementSource<Int> {
 public:
  PartSource(const StepReads<Int>& reads, Column column, const Region& region, const TensorType& type)
      : reads_(reads), column_(column), region_(region), type_(type) {}

  // As the referee reads an operand: an element is in the interval of its type.
  Int Read(int64_t element) const override {
    const Index d = Unflatten(element, type_.shape);
    int64_t at = 0;
    for (int axis = 0; axis < type_.shape.rank(); ++axis) {
      const int64_t distance = d[axis] - region_.begin[axis], step = region_.step[axis], k = distance / step;
      if (k * step != distance || k < 0 || k >= region_.count[axis]) {
        throw std::out_of_range("an element outside the read set");
      }
      at = at * region_.count[axis] + k;
    }
    const Int value = reads_(column_, at);
    if (value < Int(type_.interval.lo) || Int(type_.interval.hi) < value) {
      throw std::out_of_range("an element of a part is outside its interval");
    }
    return value;
  }

 private:
  const StepReads<Int>& reads_;
  const Column column_;
  const Region& region_;
  const TensorType& type_;
};

struct Part {
  int operand;
  Column column;
  Region region;
};

// The reference, which reads parts in place of operands.
template <typename Int>
Int ComputeFromParts(Opcode op, const ReadContext& c, std::span<const Part> parts,
                     const StepReads<Int>& reads) {
  std::vector<Operand<Int>> operands(reads.operands().begin(), reads.operands().end());
  std::vector<PartSource<Int>> sources;
  sources.reserve(parts.size());
  for (const Part& part : parts) {
    const auto k = static_cast<size_t>(part.operand);
    sources.emplace_back(reads, part.column, part.region, c.operands[k]);
    operands[k] = Operand<Int>(c.operands[k], sources.back());
  }
  return ComputeElement<Int>(op, c, operands);
}

template <typename Int>
void Gather(Opcode op, Expansion<Int>& e) {
  const ReadContext& c = e.context();
  std::vector<Part> parts;
  for (int k = 0; k < static_cast<int>(c.operands.size()); ++k) {
    if (ReadsOf(RulesOf(op).reads, static_cast<size_t>(k)).reach != Reach::kMany) continue;
    parts.push_back({k, e.Part(k), e.region(k)});
  }
  e.One([op, c, parts](const StepReads<Int>& r) { return ComputeFromParts(op, c, std::span(parts), r); });
}

template <typename Int>
void ExpandByRow(Opcode op, Expansion<Int>& e) {
  switch (op) {
#define TALLY_EXPANSION(Name, summary) \
  case Opcode::k##Name:                \
    return Expand##Name(e);
#include "ops/all_expansions.inc"
#undef TALLY_EXPANSION
    default: return Gather(op, e);
  }
}

}  // namespace

int64_t GatheredBytes(Opcode op, const ReadContext& c) {
  int64_t bytes = 0;
  for (size_t k = 0; k < c.operands.size(); ++k) {
    const OperandReads& reads = ReadsOf(RulesOf(op).reads, k);
    const int64_t width = SizeBytes(c.operands[k].storage()),
                  all = c.operands[k].shape.num_elements() * width;
    switch (reads.reach) {
      case Reach::kNothing: break;
      case Reach::kOne: bytes += std::min(all, kTensorLeafBytes); break;
      case Reach::kNamed: bytes += std::min(all, kMostNamed * kTensorLeafBytes); break;
      case Reach::kMany: bytes += reads.region(c, static_cast<int>(k)).size() * width; break;
    }
  }
  return bytes;
}

template <typename Int>
Expansion<Int> ExpansionOf(Opcode op, const ReadContext& c, int64_t most, std::optional<int> only) {
  Expansion<Int> e(c, RulesOf(op).reads, only);
  if (GatheredBytes(op, c) <= most) {
    Gather(op, e);
  } else {
    ExpandByRow(op, e);
  }
  return e;
}

template Expansion<TrappingInt> ExpansionOf<TrappingInt>(Opcode, const ReadContext&, int64_t,
                                                         std::optional<int>);
template Expansion<FormalInt> ExpansionOf<FormalInt>(Opcode, const ReadContext&, int64_t, std::optional<int>);

}  // namespace tally
