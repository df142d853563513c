// Shared by the type rules of the operators over regions of interest.
#pragma once

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "base/wide.h"
#include "ops/common/sampling_bounds.h"
#include "ops/infer.h"
#include "ops/pooling/attrs.h"

namespace tally {

// x is [N, C, H, W], error `rank_label`; operands 1 and 2 are regions [R, 4] and images [R], error
// `shape_label`.
inline absl::Status CheckRegions(const InferContext& c, Label rank_label, Label shape_label) {
  const Shape &x = c.shape(0), &rois = c.shape(1), &batch = c.shape(2);
  if (x.rank() != 4) return MakeError(rank_label, absl::StrCat(x.ToString(), " is not [N, C, H, W]"));
  if (rois.rank() != 2 || rois[1] != 4 || batch.rank() != 1 || batch[0] != rois[0]) {
    return MakeError(shape_label, absl::StrCat("rois ", rois.ToString(), " and batch ", batch.ToString(),
                                               " are not [R, 4] and [R]"));
  }
  return absl::OkStatus();
}

// The largest magnitude of a coordinate times the multiplier.
inline Int128 ScaledRegion(const Interval& rois, const RoiAttrs& attrs) {
  return SatMul(WideInterval(rois).Magnitude(), attrs.multiplier);
}

// The same of a coordinate that is rounded to an integer first, and of the integer after it.
inline Int128 RoundedRegion(const Interval& rois, const RoiAttrs& attrs) {
  return SatMul((WideInterval(rois).Magnitude() >> attrs.fraction) + 2, attrs.multiplier);
}

// The units of work of pooling every pixel of every bin of a plane.
inline Int128 PixelsOfBins(const Shape& x, const RoiAttrs& attrs) {
  return SatMul(x[2] + attrs.pooled_size[0], x[3] + attrs.pooled_size[1]);
}

}  // namespace tally
