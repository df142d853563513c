#include "fuzz/generators/call_generators.h"
#include "fuzz/generators/values.h"
#include "ops/attention/attrs.h"

namespace tally {
namespace {

constexpr Interval kActivation = {-32768, 32767};

// q chooses a batch; k, v and the mask have it or broadcast.
Attempt DrawAttention(CallContext& c) {
  ScaledDotProductAttentionAttrs attrs;
  // From 8 queries and 4 of all else on, kernels go by blocks.
  const bool blocks = c.e.OneIn(2);
  Want want = {.min_rank = 2, .within = kActivation};
  if (blocks) want.shape = ShapeOf({c.e.Between(8, 17), c.e.Between(4, 9)});
  const DraftId q = c.Operand(want);
  const auto dims = c.shape(q).dims();
  const int64_t queries = dims[dims.size() - 2], depth = dims.back();
  const auto any = [&] { return blocks ? c.e.Between(4, 6) : c.e.Between(1, 4); };
  const int64_t keys = any();
  const auto matrix = [&](int64_t rows, int64_t columns) {
    std::vector<int64_t> shape(dims.begin() + (c.e.OneIn(3) ? dims.size() - 2 : 0), dims.end() - 2);
    for (int64_t& dim : shape) {
      if (c.e.OneIn(4)) dim = 1;
    }
    shape.insert(shape.end(), {rows, columns});
    return c.Operand({.shape = ShapeOf(shape), .within = kActivation});
  };
  Attempt attempt = {{q, matrix(keys, depth), matrix(keys, any())}};
  std::vector<int64_t> table = {c.e.Between(1, int64_t{1} << 30)};
  for (int64_t i = c.e.Between(0, 5); i > 0; --i) table.push_back(c.e.Between(0, int64_t{1} << 30));
  attempt.operands.push_back(c.Constant(ShapeOf({std::ssize(table)}), table));
  attrs.mask = static_cast<MaskKind>(c.e.Between(0, 2));
  if (attrs.mask != MaskKind::kNone) attempt.operands.push_back(matrix(queries, keys));
  if (c.e.OneIn(2)) attrs.causal = {c.e.Between(-3, 3)};
  attrs.logit_multiplier = c.e.Between(-(1 << 16), 1 << 16);
  attrs.logit_shift = c.e.Between(0, 40);
  attrs.multiplier = c.e.Between(-(1 << 16), 1 << 16);
  attrs.shift = c.e.Between(0, 40);
  attrs.zero_out = c.e.OneIn(2) ? c.e.Between(-128, 127) : 0;
  const Interval clamp = RandomInterval(c.e, TensorLimit(Profile::kCore));
  attrs.lo = clamp.lo;
  attrs.hi = clamp.hi;
  attempt.attributes = Pack(attrs);
  return attempt;
}

}  // namespace

CallGenerator FindAttentionCallGenerator(Opcode op) {
  return op == Opcode::kScaledDotProductAttention ? DrawAttention : nullptr;
}

}  // namespace tally
