#include "ops/attention/attention_device.h"
#include "ops/attention/attrs.h"
#include "ops/cuda/prepare_map.h"
#include "ops/normalization/normalization_device.h"

namespace tally::cuda {
namespace {

using Strides = std::array<int64_t, kMaxRank>;

// Of `x` along the axes of a result of `rank`, aligned at the right; 0 where x has one element. The last two are `row`
// and `column`.
Strides BatchStrides(const Shape& x, int rank, int64_t row, int64_t column) {
  Strides strides = {};
  for (int axis = 0; axis + 2 < x.rank(); ++axis) {
    strides[rank - x.rank() + axis] = x[axis] == 1 ? 0 : x.stride(axis);
  }
  strides[rank - 2] = row;
  strides[rank - 1] = column;
  return strides;
}

// The stride of the axis that is `behind` axes from the last; 0 where it is missing or has one element.
int64_t StrideFromEnd(const Shape& x, int behind) {
  const int axis = x.rank() - 1 - behind;
  return axis < 0 || x[axis] == 1 ? 0 : x.stride(axis);
}

}  // namespace

std::optional<Work> PrepareAttention(const KernelFacts& facts) {
  const auto attrs = facts.attrs<ScaledDotProductAttentionAttrs>();
  const Shape &q = facts.operands[0].shape, &k = facts.operands[1].shape, &v = facts.operands[2].shape,
              &y = facts.results[0].shape;
  const int rank = y.rank();
  const int64_t queries = y[rank - 2], keys = k[k.rank() - 2], depth = q[q.rank() - 1];
  std::vector<int64_t> dims(y.dims().begin(), y.dims().end());
  dims.back() = keys;
  const auto logit_shape = Shape::Create(dims);
  if (!logit_shape.ok()) return std::nullopt;  // more than a tensor may have

  Work work;
  const int64_t logit_bytes = logit_shape->num_elements() * SizeBytes(Storage::kI32);
  const Ref logits = work.AddScratch(logit_bytes), weights = work.AddScratch(logit_bytes);
  const bool masked = attrs.mask != MaskKind::kNone;
  Folded f(*logit_shape, Layout::kRowMajor);
  f.AddStrided(BatchStrides(q, rank, q.stride(q.rank() - 2), 0));
  f.AddStrided(BatchStrides(k, rank, 0, k.stride(k.rank() - 2)));
  const Shape mask = masked ? facts.operands[4].shape : Shape();
  f.AddStrided(BatchStrides(mask, rank, StrideFromEnd(mask, 1), StrideFromEnd(mask, 0)));
  f.Fold();
  const AttentionLogitsParams logit_params = {.loops = LoopsOf<3>(f),
                                              .keys = keys,
                                              .queries = queries,
                                              .depth = depth,
                                              .multiplier = attrs.logit_multiplier,
                                              .shift = static_cast<int>(attrs.logit_shift),
                                              .mask = attrs.mask,
                                              .causal = !attrs.causal.empty(),
                                              .causal_offset = attrs.causal.empty() ? 0 : attrs.causal[0],
                                              .q = facts.storages[0],
                                              .k = facts.storages[1],
                                              .mask_storage = masked ? facts.storages[4] : Storage::kI8};
  work.Add(KernelId::kAttentionLogits, GridOver(logit_params.loops.count), logit_params,
           {OperandAt(0), OperandAt(1), logits, OperandAt(masked ? 4 : 0)});

  const auto lines = [](int64_t count, int64_t stride) {
    return Loops<2>{.count = count, .rank = 1, .dims = {count}, .strides = {{stride}, {0}}};
  };
  const int64_t rows = logit_shape->num_elements() / keys;
  const SoftmaxParams softmax = {.shape = {lines(rows, keys), lines(keys, 1), Storage::kI32, Storage::kI32},
                                 .exponentials = {facts.operands[3].shape.num_elements(), facts.storages[3]},
                                 .placement = {61 - kProbabilityBits, 0, 0, int64_t{1} << kProbabilityBits}};
  work.Add(KernelId::kSoftmax, GridOver(rows * kWarp), softmax, {logits, OperandAt(3), weights});

  Folded means(y, Layout::kRowMajor);
  means.AddStrided(BatchStrides(*logit_shape, rank, keys, 0));
  means.AddStrided(BatchStrides(v, rank, 0, v.stride(v.rank() - 1)));
  means.Fold();
  const AttentionMeansParams mean_params = {.loops = LoopsOf<2>(means),
                                            .keys = keys,
                                            .v_key = v.stride(v.rank() - 2),
                                            .multiplier = attrs.multiplier,
                                            .placement = PlacementOf(attrs),
                                            .v = facts.storages[2],
                                            .y = facts.results[0].storage()};
  work.Add(KernelId::kAttentionMeans, GridOver(mean_params.loops.count), mean_params,
           {weights, OperandAt(2), ResultAt(0)});
  return work;
}

}  // namespace tally::cuda
