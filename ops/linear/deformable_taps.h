// The taps of one place of a deformable convolution, for its definition and its expansion.
#pragma once

#include <cstdint>
#include <span>

#include "ops/indexing.h"
#include "ops/linear/attrs.h"
#include "ops/linear/deformable_tap.h"
#include "ops/reference.h"

namespace tally {

template <typename Int>
class DeformableTaps {
 public:
  // `place` is that of the result.
  DeformableTaps(std::span<const Operand<Int>> operands, const DeformableConv2dAttrs& attrs,
                 const Index& place)
      : operands_(operands),
        attrs_(attrs),
        n_(place[0]),
        oc_(place[1]),
        p_(place[2]),
        q_(place[3]),
        one_(int64_t{1} << attrs.offset_fraction) {}

  // The factor of the weight w[oc, ic, ki, kj].
  Int At(int64_t ic, int64_t ki, int64_t kj) const {
    const Operand<Int>&x = operands_[0], &offset = operands_[2];
    const Shape& w = operands_[1].shape();
    const int64_t per_group = w[0] / attrs_.groups, per_offset = x.shape()[1] / attrs_.offset_groups;
    const int64_t channel = oc_ / per_group * w[1] + ic;
    const int64_t k = (channel / per_offset * w[2] + ki) * w[3] + kj;
    const int64_t h = p_ * attrs_.stride[0] - attrs_.padding[0] + ki * attrs_.dilation[0];
    const int64_t l = q_ * attrs_.stride[1] - attrs_.padding[1] + kj * attrs_.dilation[1];
    const Int v(Int(h) * one_ + offset[Flatten({n_, 2 * k, p_, q_}, offset.shape())]);
    const Int u(Int(l) * one_ + offset[Flatten({n_, 2 * k + 1, p_, q_}, offset.shape())]);
    const bool zero_samples = attrs_.border == DeformableBorder::kZeroSamples;
    const Int tap =
        DeformableTap<Int>(v, u, one_, zero_samples, x.shape()[2], x.shape()[3], [&](int64_t a, int64_t b) {
          return x[Flatten({n_, channel, a, b}, x.shape())];
        });
    if (operands_.size() < 4) return tap;
    return Int(tap * operands_[3][Flatten({n_, k, p_, q_}, operands_[3].shape())]);
  }

 private:
  std::span<const Operand<Int>> operands_;
  const DeformableConv2dAttrs& attrs_;
  const int64_t n_, oc_, p_, q_;
  const Int one_;
};

}  // namespace tally
