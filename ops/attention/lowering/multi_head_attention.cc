// Projections of query, key and value, attention head by head, and the projection of the result.
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/attention/lowering/attrs.h"
#include "ops/labels.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/lowerings.h"
#include "ops/rescale/attrs.h"

namespace tally {
namespace {

// Operands: query, key, value; then W, m and b of each of the four projections; the table; the mask.
enum { kFirstProjection = 3, kTable = 15, kMask = 16 };
enum { kQuery, kKey, kValue, kResult };

// x W^T, rescaled for each column.
absl::StatusOr<Value> Project(Composition& c, Value x, int projection, std::span<const Value> operands,
                              int64_t shift, RescaleAttrs attrs) {
  const Value w = operands[kFirstProjection + 3 * projection];
  const Value m = operands[kFirstProjection + 3 * projection + 1];
  const Value b = operands[kFirstProjection + 3 * projection + 2];
  ASSIGN_OR_RETURN(const Value sums, c.Apply(Opcode::kMatmul, {x, w}, MatmulAttrs{.transpose_b = true}));
  attrs.axis = -1;
  const std::vector<int64_t> shifts(c.shape(m).num_elements(), shift);
  return c.Apply(Opcode::kRescale, {sums, m, b, c.Constant({std::ssize(shifts)}, shifts)}, attrs);
}

// [B, L, heads * D] as [B, heads, L, D].
absl::StatusOr<Value> SplitHeads(Composition& c, Value x, int64_t heads) {
  const Shape shape = c.shape(x);
  if (shape.rank() != 3 || shape[2] % heads != 0) {
    return MakeError(label::lowering_operands, absl::StrCat(shape.ToString(), " for ", heads, " heads"));
  }
  ASSIGN_OR_RETURN(
      const Value split,
      c.Apply(Opcode::kReshape, {x}, ReshapeAttrs{.shape = {shape[0], shape[1], heads, shape[2] / heads}}));
  return c.Apply(Opcode::kTranspose, {split}, TransposeAttrs{.axes = {0, 2, 1, 3}});
}

// Back to [B, L, heads * D].
absl::StatusOr<Value> MergeHeads(Composition& c, Value x) {
  const Shape shape = c.shape(x);
  ASSIGN_OR_RETURN(const Value rows, c.Apply(Opcode::kTranspose, {x}, TransposeAttrs{.axes = {0, 2, 1, 3}}));
  return c.Apply(Opcode::kReshape, {rows}, ReshapeAttrs{.shape = {shape[0], shape[2], shape[1] * shape[3]}});
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerMultiHeadAttention(Composition& c, std::span<const Value> operands,
                                                           const Attributes& attributes) {
  const auto attrs = Unpack<MultiHeadAttentionAttrs>(attributes);
  std::vector<Value> of_attention;
  for (const int i : {+kQuery, +kKey, +kValue}) {
    ASSIGN_OR_RETURN(const Value projected,
                     Project(c, operands[i], i, operands, attrs.shifts[i], {.lo = attrs.lo, .hi = attrs.hi}));
    ASSIGN_OR_RETURN(const Value heads, SplitHeads(c, projected, attrs.heads));
    of_attention.push_back(heads);
  }
  of_attention.push_back(operands[kTable]);
  if (operands.size() > kMask) of_attention.push_back(operands[kMask]);
  ASSIGN_OR_RETURN(const Value attended,
                   c.Apply(Opcode::kScaledDotProductAttention, of_attention,
                           ScaledDotProductAttentionAttrs{.logit_multiplier = attrs.logit_multiplier,
                                                          .logit_shift = attrs.logit_shift,
                                                          .mask = attrs.mask,
                                                          .causal = attrs.causal,
                                                          .multiplier = attrs.multiplier,
                                                          .shift = attrs.shift,
                                                          .lo = attrs.lo,
                                                          .hi = attrs.hi}));
  ASSIGN_OR_RETURN(const Value merged, MergeHeads(c, attended));
  ASSIGN_OR_RETURN(const Value y,
                   Project(c, merged, kResult, operands, attrs.shifts[kResult],
                           {.zero_out = attrs.zero_out, .lo = attrs.result_lo, .hi = attrs.result_hi}));
  return std::vector<Value>{y};
}

}  // namespace tally
