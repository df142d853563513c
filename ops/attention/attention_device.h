// Attention for devices: logits and weighted means, one thread for each; the softmax between them is that of the
// normalization family.
#pragma once

#include "base/rescale.h"
#include "ops/attention/logits.h"
#include "ops/attention/mask_kind.h"
#include "ops/cuda/elements.h"
#include "ops/cuda/loops.h"
#include "ops/normalization/place.h"

namespace tally::cuda {

struct AttentionLogitsParams {
  Loops<3>
      loops;  // over the logits [.., L, S]; tensors q and k at the first of `depth` elements, and the mask
  int64_t keys, queries;  // S, L
  int64_t depth;
  int64_t multiplier;
  int shift;
  MaskKind mask;
  bool causal;
  int64_t causal_offset;  // query l sees keys up to l + offset
  Storage q, k, mask_storage;
};

// Memory: q, k, the logits in i32, the mask.
TALLY_DEVICE void AttentionLogits(const Thread& t, const Memory& m, const AttentionLogitsParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.loops.count) return;
  int64_t at[3];
  p.loops.OffsetsOf(i, at);
  const int64_t s = i % p.keys, l = i / p.keys % p.queries;
  const int64_t mask = p.mask == MaskKind::kNone ? 0 : Load(p.mask_storage, m.at[3], at[2]);
  if ((p.causal && s > l + p.causal_offset) || (p.mask == MaskKind::kBoolean && mask == 0)) {
    m.as<int32_t>(2)[i] = kUnseen;
    return;
  }
  int64_t sum = 0;
  for (int64_t e = 0; e < p.depth; ++e) {
    sum = WrapAdd(sum, WrapMul(Load(p.q, m.at[0], at[0] + e), Load(p.k, m.at[1], at[1] + e)));
  }
  int64_t logit = RoundShift<int64_t>(Rounding::kHalfUp, WrapMul(sum, p.multiplier), p.shift, false);
  if (p.mask == MaskKind::kAdditive) logit += mask;
  logit = logit < -kLargestLogit - 1 ? -kLargestLogit - 1 : logit > kLargestLogit ? kLargestLogit : logit;
  m.as<int32_t>(2)[i] = static_cast<int32_t>(logit);
}

struct AttentionMeansParams {
  Loops<2> loops;       // over the result; tensors the weights and v at the first of `keys` elements
  int64_t keys, v_key;  // elements of v between keys
  int64_t multiplier;
  Placement placement;
  Storage v, y;
};

// Memory: the weights in i32, v, the result.
TALLY_DEVICE void AttentionMeans(const Thread& t, const Memory& m, const AttentionMeansParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.loops.count) return;
  int64_t at[2];
  p.loops.OffsetsOf(i, at);
  int64_t mean = 0;
  for (int64_t s = 0; s < p.keys; ++s) {
    mean = WrapAdd(mean, WrapMul(m.as<int32_t>(0)[at[0] + s], Load(p.v, m.at[1], at[1] + s * p.v_key)));
  }
  Store(p.y, m.at[2], i, RoundAndPlace<int64_t>(WrapMul(mean, p.multiplier), p.placement));
}

}  // namespace tally::cuda
