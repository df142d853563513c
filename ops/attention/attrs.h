// Attributes of the attention family.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rescale.h"
#include "ops/attention/mask_kind.h"
#include "ops/attributes.h"
#include "ops/result_fields.h"
#include "ops/tensor_type.h"

namespace tally {

struct ScaledDotProductAttentionAttrs {
  int64_t logit_multiplier = 1;  // logit = round(q k * logit_multiplier / 2^logit_shift)
  int64_t logit_shift = 0;
  MaskKind mask = MaskKind::kNone;
  std::vector<int64_t> causal = {};  // empty, or [offset]: query l sees keys up to l + offset
  int64_t multiplier = 1;            // y = round(sum of p v * multiplier / 2^shift) + zero_out
  int64_t shift = 15;
  int64_t zero_out = 0;
  int64_t lo = 0;
  int64_t hi = 0;

  static constexpr auto Fields() {
    using Attrs = ScaledDotProductAttentionAttrs;
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    return std::tuple_cat(
        std::tuple(IntField("logit_multiplier", &Attrs::logit_multiplier, -kI32.hi, kI32.hi),
                   IntField("logit_shift", &Attrs::logit_shift, 0, kMaxRescaleShift),
                   EnumField("mask", &Attrs::mask, kMaskKindNames),
                   ListField("causal", &Attrs::causal, kI32.lo, kI32.hi, 0, 1),
                   IntField("multiplier", &Attrs::multiplier, -kI32.hi, kI32.hi),
                   IntField("shift", &Attrs::shift, 0, kMaxRescaleShift)),
        ResultFields<Attrs>());
  }
};

}  // namespace tally
