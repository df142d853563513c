#include <algorithm>

#include "base/error.h"
#include "base/rescale.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/linear/attrs.h"
#include "ops/linear/labels.h"
#include "ops/linear/rules.h"

namespace tally {
namespace {

absl::StatusOr<int64_t> Positions(const InferContext& c, const DeformableConv2dAttrs& attrs, int i) {
  const int64_t padded = c.shape(0)[2 + i] + attrs.padding[i] + attrs.padding[2 + i];
  const int64_t extent = attrs.dilation[i] * (c.shape(1)[2 + i] - 1) + 1;
  if (extent > padded) {  // deformable_conv2d_c4
    return MakeError(label::deformable_conv2d_c4, absl::StrCat("the kernel spans ", extent, " of ", padded,
                                                               " padded positions of axis ", 2 + i));
  }
  return (padded - extent) / attrs.stride[i] + 1;
}

absl::StatusOr<Dims> ResultDims(const InferContext& c, const DeformableConv2dAttrs& attrs) {
  const Shape &x = c.shape(0), &w = c.shape(1);
  if (x.rank() != 4 || w.rank() != 4) {
    return MakeError(label::deformable_conv2d_c1,
                     absl::StrCat("x ", x.ToString(), " and w ", w.ToString(), " are not both 4-D"));
  }
  if (x[1] % attrs.groups != 0 || w[0] % attrs.groups != 0 || x[1] % attrs.offset_groups != 0) {
    return MakeError(label::deformable_conv2d_c2,
                     absl::StrCat(attrs.groups, " groups and ", attrs.offset_groups,
                                  " offset groups do not divide ", x[1], " and ", w[0], " channels"));
  }
  if (w[1] != x[1] / attrs.groups) {
    return MakeError(label::deformable_conv2d_c3,
                     absl::StrCat("weight shape ", w.ToString(), " does not read ", x[1] / attrs.groups,
                                  " channels of each group"));
  }
  ASSIGN_OR_RETURN(const int64_t height, Positions(c, attrs, 0));
  ASSIGN_OR_RETURN(const int64_t width, Positions(c, attrs, 1));
  for (int i = 2; i < c.num_operands(); ++i) {
    const Shape& shape = c.shape(i);
    const Int128 channels = SatMul(SatMul(attrs.offset_groups, w[2]), w[3] * (i == 2 ? 2 : 1));
    if (shape.rank() != 4 || shape[0] != x[0] || shape[1] != channels || shape[2] != height ||
        shape[3] != width) {
      return MakeError(label::deformable_conv2d_c5,
                       absl::StrCat(i == 2 ? "offsets " : "mask ", shape.ToString(), " are not [", x[0], ", ",
                                    ToString(channels), ", ", height, ", ", width, "]"));
    }
  }
  return Dims{x[0], w[0], height, width};
}

struct SumBounds {
  WideInterval sum;
  WideInterval partial;  // bounds every part of the sum, in any order
};

// The bounds of the sums of w * tap over the taps of each output channel.
SumBounds BoundSums(const InferContext& c, const WideInterval& tap) {
  const int64_t channels = c.shape(1)[0], terms = c.shape(1).num_elements() / channels;
  const TensorView* w = c.constant(1);
  if (w == nullptr) {
    const WideInterval product = tap * WideInterval(c.interval(1));
    const WideInterval count(terms, terms);
    return {product * count, product.Hull({0, 0}) * count};
  }
  SumBounds bounds;
  for (int64_t channel = 0; channel < channels; ++channel) {
    Int128 positive = 0, negative = 0;
    for (int64_t k = channel * terms; k < (channel + 1) * terms; ++k) {
      const int64_t weight = w->at(k);
      (weight > 0 ? positive : negative) += weight;
    }
    const WideInterval sum = tap * WideInterval(positive, positive) + tap * WideInterval(negative, negative);
    const WideInterval part = tap.Hull({0, 0});
    bounds.sum = channel == 0 ? sum : bounds.sum.Hull(sum);
    bounds.partial = bounds.partial.Hull(part * WideInterval(positive, positive) +
                                         part * WideInterval(negative, negative));
  }
  return bounds;
}

}  // namespace

absl::Status InferDeformableConv2d(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<DeformableConv2dAttrs>();
  ASSIGN_OR_RETURN(const Dims dims, ResultDims(c, attrs));
  RETURN_IF_ERROR(CheckOperandLimit(c, 2, label::deformable_conv2d_c6));
  if (c.of_program) return out->AddResult(c, dims, c.any_value());
  // Four weights make up 2^(2 * fraction), and outside is 0; so a tap and each part of it are between its
  // ends.
  const Int128 unit = Int128{1} << (2 * attrs.offset_fraction);
  const WideInterval sample = WideInterval(c.interval(0)).Hull({0, 0}) * WideInterval(unit, unit);
  WideInterval tap = sample;
  if (c.num_operands() == 4) tap = tap * WideInterval(c.interval(3));
  const SumBounds bounds = BoundSums(c, tap);
  const Int128 half = attrs.shift == 0 ? 0 : Int128{1} << (attrs.shift - 1);
  // A weight of 0 hides its tap in a sum, but the tap is computed.
  const Int128 magnitude =
      std::max({sample.Magnitude(), tap.Magnitude(), SatAdd(bounds.partial.Magnitude(), half)});
  if (magnitude > INT64_MAX) {
    return MakeError(label::deformable_conv2d_c7, absl::StrCat("taps and sums reach ", ToString(magnitude),
                                                               " before a shift by ", attrs.shift));
  }
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  RETURN_IF_ERROR(out->SetAccumulator(c, bounds.partial));
  const auto rounded = [&](Int128 v) {
    return RoundShift<int64_t>(Rounding::kHalfUp, static_cast<int64_t>(v), static_cast<int>(attrs.shift),
                               false);
  };
  return out->AddResult(c, shape, WideInterval(rounded(bounds.sum.lo), rounded(bounds.sum.hi)));
}

WideGas GasDeformableConv2d(const GasContext& c) {
  const Shape& w = c.operands[1].shape;
  const WideGas taps = SatMul(c.elements_out(0), SatAdd(SatMul(288, w.num_elements() / w[0]), 16));
  return SatAdd(taps, 512 + 256 * Int128{c.attrs<DeformableConv2dAttrs>().groups});
}

}  // namespace tally
