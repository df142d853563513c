#include <vector>

#include "base/rescale.h"
#include "ops/attention/attrs.h"
#include "ops/attention/logits.h"
#include "ops/common/requantize.h"
#include "ops/common/softmax_row.h"
#include "ops/indexing.h"
#include "ops/reference.h"

namespace tally {
namespace {

// One query: d is its index in the result, the last coordinate apart.
template <typename Int>
class Query {
 public:
  Query(const ReferenceContext<Int>& c, const ScaledDotProductAttentionAttrs& attrs, const Index& d)
      : c_(c), attrs_(attrs), d_(d), rank_(c.results[0].shape().rank()), row_(d[rank_ - 2]) {}

  std::vector<Int> Logits() const {
    const Shape& k = c_.operands[1].shape();
    std::vector<Int> logits;
    for (int64_t s = 0; s < k[k.rank() - 2]; ++s) logits.push_back(Sees(s) ? Logit(s) : Int(kUnseen));
    return logits;
  }

  // The element of a matrix of operand i that belongs to the batch of the query.
  Int Element(int i, int64_t row, int64_t column) const {
    const Operand<Int>& x = c_.operands[i];
    Index at = {};
    // A mask may lack axes of the result; coordinates count from the last.
    for (int axis = 0; axis < x.shape().rank(); ++axis) {
      const int behind = x.shape().rank() - axis;
      const int64_t coordinate = behind == 1 ? column : behind == 2 ? row : d_[rank_ - behind];
      at[axis] = x.shape()[axis] == 1 ? 0 : coordinate;
    }
    return x[Flatten(at, x.shape())];
  }

 private:
  bool Sees(int64_t s) const {
    if (!attrs_.causal.empty() && s > row_ + attrs_.causal[0]) return false;
    return attrs_.mask != MaskKind::kBoolean || Element(4, row_, s) != Int(int64_t{0});
  }

  // clamp(round(q k * logit_multiplier / 2^logit_shift) + mask)
  Int Logit(int64_t s) const {
    const Shape& q = c_.operands[0].shape();
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

  const ReferenceContext<Int>& c_;
  const ScaledDotProductAttentionAttrs& attrs_;
  const Index d_;
  const int rank_;
  const int64_t row_;
};

}  // namespace

// p = softmax of the logits in 15 bits, y = clamp(round(sum of p v * multiplier / 2^shift) + zero_out).
template <typename Int>
void ReferenceScaledDotProductAttention(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<ScaledDotProductAttentionAttrs>();
  const Result<Int>& y = c.results[0];
  const int64_t columns = y.shape()[y.shape().rank() - 1];
  for (const int64_t row : c.Groups(y.size() / columns, columns)) {
    const int64_t first = row * columns;
    const Query<Int> query(c, attrs, Unflatten(first, y.shape()));
    std::vector<Int> weights = query.Logits();
    const SoftmaxRow<Int> softmax(c.operands[3], std::ssize(weights), kProbabilityBits,
                                  [&](int64_t s) { return weights[s]; });
    for (Int& weight : weights) weight = softmax(weight);
    for (int64_t column = 0; column < columns; ++column) {
      if (!c.Wants(0, first + column)) continue;
      Int mean(int64_t{0});
      for (int64_t s = 0; s < std::ssize(weights); ++s) {
        mean = Int(mean + weights[s] * query.Element(2, s, column));
      }
      y.Set(first + column, Requantize<Int>(Int(mean * Int(attrs.multiplier)), attrs));
    }
  }
}

TALLY_REFERENCE(ScaledDotProductAttention);

}  // namespace tally
