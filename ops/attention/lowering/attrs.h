// Attributes of the lowerings of the attention family that are no operators.
#pragma once

#include "ops/attention/attrs.h"

namespace tally {

struct RotaryEmbeddingAttrs {
  bool interleaved = false;  // pairs are neighbours, instead of elements of both halves
  int64_t shift = 0;         // bits of the cosines and sines below their point
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    return std::tuple(BoolField("interleaved", &RotaryEmbeddingAttrs::interleaved),
                      IntField("shift", &RotaryEmbeddingAttrs::shift, 0, kMaxRescaleShift),
                      IntField("lo", &RotaryEmbeddingAttrs::lo, kElement.lo, kElement.hi),
                      IntField("hi", &RotaryEmbeddingAttrs::hi, kElement.lo, kElement.hi));
  }
};

// Those of the attention between the projections, of which lo and hi clamp what it and they yield but the
// last.
struct MultiHeadAttentionAttrs {
  int64_t heads = 1;
  std::vector<int64_t> shifts = {0, 0, 0, 0};  // for the projections of query, key, value and result
  int64_t logit_multiplier = 1;
  int64_t logit_shift = 0;
  MaskKind mask = MaskKind::kNone;
  std::vector<int64_t> causal = {};
  int64_t multiplier = 1;
  int64_t shift = 15;
  int64_t lo = 0;
  int64_t hi = 0;
  int64_t zero_out = 0;  // the result's
  int64_t result_lo = 0;
  int64_t result_hi = 0;

  static constexpr auto Fields() {
    using Attrs = MultiHeadAttentionAttrs;
    constexpr Interval kI32 = RangeOf(Storage::kI32), kElement = TensorLimit(Profile::kCore);
    return std::tuple(IntField("heads", &Attrs::heads, 1, kMaxDim),
                      ListField("shifts", &Attrs::shifts, 0, kMaxRescaleShift, 4, 4),
                      IntField("logit_multiplier", &Attrs::logit_multiplier, -kI32.hi, kI32.hi),
                      IntField("logit_shift", &Attrs::logit_shift, 0, kMaxRescaleShift),
                      EnumField("mask", &Attrs::mask, kMaskKindNames),
                      ListField("causal", &Attrs::causal, kI32.lo, kI32.hi, 0, 1),
                      IntField("multiplier", &Attrs::multiplier, -kI32.hi, kI32.hi),
                      IntField("shift", &Attrs::shift, 0, kMaxRescaleShift),
                      IntField("lo", &Attrs::lo, kElement.lo, kElement.hi),
                      IntField("hi", &Attrs::hi, kElement.lo, kElement.hi),
                      IntField("zero_out", &Attrs::zero_out, kI32.lo, kI32.hi),
                      IntField("result_lo", &Attrs::result_lo, kElement.lo, kElement.hi),
                      IntField("result_hi", &Attrs::result_hi, kElement.lo, kElement.hi));
  }
};

}  // namespace tally
