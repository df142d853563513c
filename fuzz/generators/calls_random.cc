// Calls of the sampling family.
#include "fuzz/generators/call_generators.h"
#include "ops/sampling/attrs.h"

namespace tally {
namespace {

// Sometimes an iteration after the other operands.
void MaybeIteration(CallContext& c, std::vector<DraftId>* operands) {
  if (c.e.OneIn(3)) operands->push_back(c.Operand({.shape = Shape(), .within = {0, kMaxWord}}));
}

Attempt DrawRandomUniform(CallContext& c) {
  RandomUniformAttrs attrs;
  for (int64_t rank = c.e.Between(0, 3); rank > 0; --rank) attrs.shape.push_back(c.e.Between(1, 5));
  attrs.seed = c.e.Between(0, kMaxWord);
  attrs.layer = c.e.Between(0, 3);
  attrs.lo = c.e.Pick({int64_t{0}, int64_t{-9}, -(int64_t{1} << 47)});
  attrs.hi = c.e.Pick({int64_t{0}, int64_t{9}, kMaxWord, (int64_t{1} << 47) - 1, int64_t{-10}});
  Attempt attempt;
  MaybeIteration(c, &attempt.operands);
  attempt.attributes = Pack(attrs);
  return attempt;
}

Attempt DrawRandomCategorical(CallContext& c) {
  Attempt attempt;
  attempt.operands = {c.Operand({.min_rank = 1, .max_rank = 3, .within = {0, int64_t{1} << 47}})};
  MaybeIteration(c, &attempt.operands);
  attempt.attributes = Pack(RandomCategoricalAttrs{
      .samples = c.e.Between(1, 4), .seed = c.e.Between(0, kMaxWord), .layer = c.e.Between(0, 3)});
  return attempt;
}

}  // namespace

CallGenerator FindRandomCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kRandomUniform: return DrawRandomUniform;
    case Opcode::kRandomCategorical: return DrawRandomCategorical;
    default: return nullptr;
  }
}

}  // namespace tally
