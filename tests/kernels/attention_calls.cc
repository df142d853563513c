// Attention as networks have it: heads of many queries, of bytes and of 16 bits, with every mask.
#include "fuzz/generators/values.h"
#include "ops/attention/attrs.h"
#include "tests/kernels/drawn_call.h"

namespace tally {
namespace {

// Around the tiles of micro-kernels, and small.
int64_t Size(EntropySource& e, int64_t least) {
  return std::max(least,
                  e.OneIn(2) ? e.Between(1, 20) : e.Pick<int64_t>({16, 28, 32, 64, 128}) + e.Between(-1, 1));
}

Interval Elements(EntropySource& e) {
  return e.Pick<Interval>({{-128, 127}, {-128, 127}, {-128, -128}, {0, 255}, {-3000, 3000}, {-32768, 32767}});
}

// Lengths 1, at which the greatest logit has all the weight, to those that many keys share.
DraftId Exponentials(CallContext& c) {
  std::vector<int64_t> table(c.e.OneIn(3) ? 1 : c.e.Between(2, 300));
  int64_t entry = c.e.OneIn(3) ? c.e.Between(1, 1000) : int64_t{1} << 30;
  for (int64_t& e : table) {
    e = entry;
    entry -= entry >> 5;
  }
  return c.Constant(ShapeOf({std::ssize(table)}), table);
}

Attempt DrawHeads(CallContext& c) {
  ScaledDotProductAttentionAttrs attrs;
  const int64_t queries = Size(c.e, 8), depth = Size(c.e, 4), keys = Size(c.e, 4), columns = Size(c.e, 4);
  const int64_t heads = c.e.Between(1, 3), shared = c.e.OneIn(3) ? 1 : heads;
  const auto matrix = [&](int64_t batch, int64_t rows, int64_t of_row) {
    return ShapeOf({batch, rows, of_row});
  };
  Attempt attempt;
  attempt.operands = {c.draft.AddParam({matrix(heads, queries, depth), Elements(c.e)}),
                      c.draft.AddParam({matrix(shared, keys, depth), Elements(c.e)}),
                      c.draft.AddParam({matrix(shared, keys, columns), Elements(c.e)}), Exponentials(c)};
  attrs.mask = static_cast<MaskKind>(c.e.Between(0, 2));
  if (attrs.mask != MaskKind::kNone) {
    const Interval mask = attrs.mask == MaskKind::kBoolean ? Interval{0, 1} : Interval{-40000, 300};
    attempt.operands.push_back(
        c.draft.AddParam({matrix(c.e.OneIn(2) ? 1 : heads, c.e.OneIn(2) ? 1 : queries, keys), mask}));
  }
  if (c.e.OneIn(2)) attrs.causal = {c.e.Between(-3, 40)};
  // Logits of a few units as often as of all of their range.
  attrs.logit_shift = c.e.Pick<int64_t>({0, 5, 20, 31, 32, 40});
  attrs.logit_multiplier = c.e.Between(1, (int64_t{1} << std::min<int64_t>(attrs.logit_shift, 30)));
  if (c.e.OneIn(6)) attrs.logit_multiplier = -attrs.logit_multiplier;
  attrs.shift = c.e.Between(0, 20);
  attrs.zero_out = c.e.OneIn(2) ? c.e.Between(-128, 127) : 0;
  const Interval clamp = c.e.Pick<Interval>({{-128, 127}, {-32768, 32767}, {-100000000, 100000000}});
  attrs.lo = clamp.lo;
  attrs.hi = clamp.hi;
  attempt.attributes = Pack(attrs);
  return attempt;
}

}  // namespace

CallGenerator FindAttentionKernelCallGenerator(Opcode op) {
  return op == Opcode::kScaledDotProductAttention ? DrawHeads : nullptr;
}

}  // namespace tally
