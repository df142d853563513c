#include "fuzz/generators/call_generators.h"
#include "ops/reduction/attrs.h"

namespace tally {
namespace {

// A sum of 512 elements of 22 bits stays within the limit of profile cvm.
constexpr int kSummandBits = 22;

Attempt DrawCvmReduce(CallContext& c) {
  const DraftId x = c.Operand({.max_precision = kSummandBits});
  const CvmReduceAttrs attrs = {
      .axis = c.Axes(c.shape(x).rank()), .keepdims = c.e.OneIn(2), .exclude = c.e.OneIn(3)};
  return {{x}, Pack(attrs)};
}

Attempt DrawReduce(CallContext& c) {
  const DraftId x = c.Operand({});
  const ReduceAttrs attrs = {
      .kind = c.e.Pick({ReduceKind::kSum, ReduceKind::kMax, ReduceKind::kMin, ReduceKind::kProduct}),
      .axes = c.Axes(c.shape(x).rank()),
      .keepdims = c.e.OneIn(2)};
  return {{x}, Pack(attrs)};
}

Attempt DrawArgExtreme(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = 1});
  return {{x},
          Pack(ArgExtremeAttrs{.kind = c.e.Pick({Extreme::kMax, Extreme::kMin}),
                               .ties = c.e.Pick({Ties::kLowest, Ties::kHighest}),
                               .axis = c.Axis(c.shape(x).rank()),
                               .keepdims = c.e.OneIn(2)})};
}

Attempt DrawCumulativeSum(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = 1});
  return {{x},
          Pack(CumulativeSumAttrs{
              .axis = c.Axis(c.shape(x).rank()), .exclusive = c.e.OneIn(2), .reverse = c.e.OneIn(2)})};
}

}  // namespace

CallGenerator FindReductionCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kSum:
    case Opcode::kMax: return DrawCvmReduce;
    case Opcode::kReduce: return DrawReduce;
    case Opcode::kArgExtreme: return DrawArgExtreme;
    case Opcode::kCumulativeSum: return DrawCumulativeSum;
    default: return nullptr;
  }
}

}  // namespace tally
