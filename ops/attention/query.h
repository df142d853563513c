// One query of an attention, for its definition and its expansion.
#pragma once

#include <cstdint>
#include <span>

#include "base/rescale.h"
#include "ops/attention/attrs.h"
#include "ops/attention/logits.h"
#include "ops/indexing.h"
#include "ops/reference.h"

namespace tally {

// One query: d is its index in the result, the last coordinate apart.
template <typename Int>
class AttentionQuery {
 public:
  AttentionQuery(std::span<const Operand<Int>> operands, const ScaledDotProductAttentionAttrs& attrs,
                 const Shape& result, const Index& d)
      : operands_(operands), attrs_(attrs), d_(d), rank_(result.rank()), row_(d[rank_ - 2]) {}

  int64_t keys() const {
    const Shape& k = operands_[1].shape();
    return k[k.rank() - 2];
  }

  // clamp(round(q k * logit_multiplier / 2^logit_shift) + mask), or kUnseen
  Int Logit(int64_t s) const {
    if (!Sees(s)) return Int(kUnseen);
    const Shape& q = operands_[0].shape();
    Int sum(int64_t{0});
    for (int64_t i = 0; i < q[q.rank() - 1]; ++i) {
      sum = Int(sum + Element(0, row_, i) * Element(1, s, i));
    }
    Int logit = RoundShift<Int>(Rounding::kHalfUp, Int(sum * Int(attrs_.logit_multiplier)),
                                static_cast<int>(attrs_.logit_shift), false);
    if (attrs_.mask == MaskKind::kAdditive) logit = Int(logit + Element(4, row_, s));
    const Int lo(-kLargestLogit - 1), hi(kLargestLogit);
    return logit < lo ? lo : logit > hi ? hi : logit;
  }

  // The element of a matrix of operand i that belongs to the batch of the query.
  Int Element(int i, int64_t row, int64_t column) const {
    const Operand<Int>& x = operands_[i];
    Index at = {};
    // A mask may lack axes of the result; coordinates count from the last.
    for (int axis = 0; axis < x.shape().rank(); ++axis) {
      const int from_last = x.shape().rank() - axis;
      const int64_t coordinate = from_last == 1 ? column : from_last == 2 ? row : d_[rank_ - from_last];
      at[axis] = x.shape()[axis] == 1 ? 0 : coordinate;
    }
    return x[Flatten(at, x.shape())];
  }

 private:
  bool Sees(int64_t s) const {
    if (!attrs_.causal.empty() && s > row_ + attrs_.causal[0]) return false;
    return attrs_.mask != MaskKind::kBoolean || Element(4, row_, s) != Int(int64_t{0});
  }

  std::span<const Operand<Int>> operands_;
  const ScaledDotProductAttentionAttrs& attrs_;
  const Index d_;
  const int rank_;
  const int64_t row_;
};

}  // namespace tally
