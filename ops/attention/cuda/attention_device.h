// Attention for devices. Logits and weighted means, one thread for each, and the softmax of the normalization
// family between them; or two products on the matrix unit, and what turns the sums of one into the weights of
// the other.
#pragma once

#include "base/rescale.h"
#include "ops/attention/logits.h"
#include "ops/attention/mask_kind.h"
#include "ops/common/requantize.h"
#include "ops/cuda/elements.h"
#include "ops/cuda/gemm/pack_activation_device.h"
#include "ops/cuda/loops.h"
#include "ops/cuda/primitives/softmax_device.h"

namespace tally::cuda {

// From the sum of products of query l and key s to their logit.
struct LogitRule {
  int64_t multiplier;
  int shift;
  MaskKind mask;
  Storage mask_storage;
  bool causal;
  int64_t causal_offset;  // query l sees keys up to l + offset

  // `mask`: its element, if there is one.
  TALLY_DEVICE bool Sees(int64_t l, int64_t s, int64_t mask_element) const {
    return !(causal && s > l + causal_offset) && !(mask == MaskKind::kBoolean && mask_element == 0);
  }
  TALLY_DEVICE int32_t LogitOf(int64_t sum, int64_t mask_element) const {
    int64_t logit = RoundShift<int64_t>(Rounding::kHalfUp, WrapMul(sum, multiplier), shift, false);
    if (mask == MaskKind::kAdditive) logit += mask_element;
    logit = logit < -kLargestLogit - 1 ? -kLargestLogit - 1 : logit > kLargestLogit ? kLargestLogit : logit;
    return static_cast<int32_t>(logit);
  }
  TALLY_DEVICE int64_t MaskAt(const uint8_t* bytes, int64_t i) const {
    return mask == MaskKind::kNone ? 0 : Load(mask_storage, bytes, i);
  }
};

struct AttentionLogitsParams {
  // Over the logits [.., L, S]; tensors q and k at the first of `depth` elements, and the mask.
  Loops<3> loops;
  int64_t keys, queries;  // S, L
  int64_t depth;
  LogitRule rule;
  Storage q, k;
};

// Memory: q, k, the logits in i32, the mask.
TALLY_DEVICE void AttentionLogits(const Thread& t, const Memory& m, const AttentionLogitsParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.loops.count) return;
  int64_t at[3];
  p.loops.OffsetsOf(i, at);
  const int64_t s = i % p.keys, l = i / p.keys % p.queries;
  const int64_t mask = p.rule.MaskAt(m.at[3], at[2]);
  if (!p.rule.Sees(l, s, mask)) {
    m.as<int32_t>(2)[i] = kUnseen;
    return;
  }
  int64_t sum = 0;
  for (int64_t e = 0; e < p.depth; ++e) {
    sum = WrapAdd(sum, WrapMul(Load(p.q, m.at[0], at[0] + e), Load(p.k, m.at[1], at[1] + e)));
  }
  m.as<int32_t>(2)[i] = p.rule.LogitOf(sum, mask);
}

// A weight of 0 to 2^15 less this is two signed bytes.
inline constexpr int64_t kWeightBase = 1 << (kProbabilityBits - 1);

struct AttentionWeightsParams {
  Loops<1> rows;     // [.., L]; the mask at the first key
  int64_t mask_key;  // elements of the mask between keys
  int64_t keys, queries;
  int64_t row_bytes;  // for a limb of a row of weights: those of keys, then zeros
  LogitRule rule;
  Exponentials exponentials;
};

// Memory: sums of products in i32, which logits take the place of; the exponentials; weights less kWeightBase
// in two limbs of each row; the mask. One warp for each row.
TALLY_DEVICE void AttentionWeights(const Thread& t, const Memory& m, const AttentionWeightsParams& p) {
  const int64_t row = t.global_index() / kWarp;
  if (row >= p.rows.count) return;
  int64_t mask_at[1];
  p.rows.OffsetsOf(row, mask_at);
  int32_t* const logits = m.as<int32_t>(0) + row * p.keys;
  int32_t most = kUnseen;
  for (int64_t s = t.lane(); s < p.keys; s += kWarp) {
    const int64_t mask = p.rule.MaskAt(m.at[3], mask_at[0] + s * p.mask_key);
    const int32_t logit = p.rule.Sees(row % p.queries, s, mask) ? p.rule.LogitOf(logits[s], mask) : kUnseen;
    logits[s] = logit;
    most = logit > most ? logit : most;
  }
  const int64_t greatest = GreatestOfLanes(t, most);
  const auto exponential = [&](int64_t s) { return p.exponentials.At(m.at[1], greatest - logits[s]); };
  int64_t sum = 0;
  for (int64_t s = t.lane(); s < p.keys; s += kWarp) sum += exponential(s);
  const int64_t reciprocal = ReciprocalOf(SumOfLanes(t, sum));
  const Requantization requantization = {61 - kProbabilityBits, -kWeightBase, -kWeightBase, kWeightBase};
  int8_t* const weights = m.as<int8_t>(2) + row * 2 * p.row_bytes;
  for (int64_t s = t.lane(); s < p.row_bytes; s += kWarp) {
    const int64_t weight = s < p.keys ? Requantize<int64_t>(exponential(s) * reciprocal, requantization) : 0;
    weights[s] = static_cast<int8_t>(HighByte(weight));
    weights[p.row_bytes + s] = static_cast<int8_t>(LowByte(weight));
  }
}

struct AttentionMeansParams {
  Loops<2> loops;       // over the result; tensors the weights and v at the first of `keys` elements
  int64_t keys, v_key;  // elements of v between keys
  int64_t multiplier;
  Requantization requantization;
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
  Store(p.y, m.at[2], i, Requantize<int64_t>(WrapMul(mean, p.multiplier), p.requantization));
}

}  // namespace tally::cuda
