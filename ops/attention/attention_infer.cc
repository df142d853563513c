#include <span>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/attention/attrs.h"
#include "ops/attention/labels.h"
#include "ops/attention/rules.h"
#include "ops/common/half_up_bounds.h"
#include "ops/infer.h"
#include "ops/normalization/rules.h"

namespace tally {
namespace {

constexpr Int128 kOne = 1 << 15;  // a probability's

int64_t FromLast(const Shape& shape, int axis) { return shape[shape.rank() - axis]; }
std::span<const int64_t> BatchOf(const Shape& shape) { return shape.dims().first(shape.rank() - 2); }

// The axes in front of the matrices, from those of q, k and v.
absl::StatusOr<Dims> BatchDims(const InferContext& c) {
  const Shape &q = c.shape(0), &k = c.shape(1), &v = c.shape(2);
  if (q.rank() < 2 || k.rank() < 2 || v.rank() < 2) {
    return MakeError(label::scaled_dot_product_attention_c2, "q, k and v do not all have two axes");
  }
  if (FromLast(q, 1) != FromLast(k, 1) || FromLast(k, 2) != FromLast(v, 2)) {
    return MakeError(label::scaled_dot_product_attention_c3,
                     absl::StrCat("q ", q.ToString(), ", k ", k.ToString(), " and v ", v.ToString()));
  }
  ASSIGN_OR_RETURN(const Dims keys,
                   BroadcastDims(BatchOf(k), BatchOf(v), label::scaled_dot_product_attention_c4));
  return BroadcastDims(BatchOf(q), keys, label::scaled_dot_product_attention_c4);
}

Dims WithMatrix(Dims batch, int64_t rows, int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

absl::Status CheckMask(const InferContext& c, MaskKind kind, const Dims& batch) {
  const bool has_mask = c.num_operands() == 5;
  if (has_mask != (kind != MaskKind::kNone)) {
    return MakeError(label::scaled_dot_product_attention_c5,
                     absl::StrCat(c.num_operands(), " operands for the mask ",
                                  ToAbsl(kMaskKindNames[static_cast<size_t>(kind)])));
  }
  if (!has_mask) return absl::OkStatus();
  const Dims logits = WithMatrix(batch, FromLast(c.shape(0), 2), FromLast(c.shape(1), 2));
  ASSIGN_OR_RETURN(const Dims broadcast,
                   BroadcastDims(logits, c.shape(4).dims(), label::scaled_dot_product_attention_c6));
  if (broadcast != logits) {
    return MakeError(label::scaled_dot_product_attention_c6,
                     absl::StrCat("the mask ", c.shape(4).ToString(), " is larger than the logits"));
  }
  return absl::OkStatus();
}

// Error `label` unless every sum in `sums` times the multiplier can be rounded.
absl::Status CheckRescale(const WideInterval& sums, int64_t multiplier, int64_t shift, Label label) {
  const Int128 product = SatMul(sums.Magnitude(), Point(multiplier).Magnitude());
  if (CanBeRounded(product, shift)) return absl::OkStatus();
  return MakeError(label,
                   absl::StrCat("the product reaches ", ToString(product), " before a shift by ", shift));
}

}  // namespace

absl::Status InferScaledDotProductAttention(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<ScaledDotProductAttentionAttrs>();
  for (int i = 0; i < c.num_operands(); ++i) {
    if (i != 3) RETURN_IF_ERROR(CheckOperandLimit(c, i, label::scaled_dot_product_attention_c1));
  }
  ASSIGN_OR_RETURN(const Dims batch, BatchDims(c));
  RETURN_IF_ERROR(CheckMask(c, attrs.mask, batch));
  RETURN_IF_ERROR(CheckExponentialTable(c, 3, label::scaled_dot_product_attention_c7,
                                        label::scaled_dot_product_attention_c8));
  RETURN_IF_ERROR(CheckClamp(attrs, label::scaled_dot_product_attention_c9));
  const int64_t keys = FromLast(c.shape(1), 2);
  const auto from_zero = [](const WideInterval& v) { return v.Hull({0, 0}); };
  const WideInterval products =
      from_zero(WideInterval(c.interval(0)) * WideInterval(c.interval(1))) * Point(FromLast(c.shape(0), 1));
  // The probabilities of a row add up to at most one and a unit of the last place for each.
  const WideInterval means = from_zero(c.interval(2)) * Point(kOne + keys);
  const WideInterval exponentials = {0, SatMul(keys, c.entries(3).hi)};
  RETURN_IF_ERROR(CheckRescale(products, attrs.logit_multiplier, attrs.logit_shift,
                               label::scaled_dot_product_attention_c10));
  RETURN_IF_ERROR(
      CheckRescale(means, attrs.multiplier, attrs.shift, label::scaled_dot_product_attention_c11));
  ASSIGN_OR_RETURN(const Shape shape,
                   Shape::Create(WithMatrix(batch, FromLast(c.shape(0), 2), FromLast(c.shape(2), 1))));
  RETURN_IF_ERROR(out->SetAccumulator(c, products.Hull(means).Hull(exponentials)));
  out->scratch_bytes = 8 * keys;  // the logits of a row
  const WideInterval y = HalfUp(means * Point(attrs.multiplier), attrs.shift) + Point(attrs.zero_out);
  return out->AddResult(c, shape, y.Clamp(attrs.lo, attrs.hi));
}

WideGas GasAttention(const GasContext& c) {
  const Shape &q = c.operands[0].shape, &k = c.operands[1].shape, &v = c.operands[2].shape;
  const int64_t rows = c.elements_out(0) / FromLast(v, 1);
  const Int128 of_key = Int128{FromLast(q, 1)} + FromLast(v, 1) + 48;
  const Int128 of_row = SatAdd(SatMul(14 * Int128{FromLast(k, 2)}, of_key), 768 + 4 * Int128{FromLast(v, 1)});
  return SatMul(rows, of_row);
}

}  // namespace tally
