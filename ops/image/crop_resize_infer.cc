#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/common/sampling_bounds.h"
#include "ops/image/attrs.h"
#include "ops/image/crop_grid.h"
#include "ops/image/labels.h"
#include "ops/image/rules.h"
#include "ops/infer.h"

namespace tally {

using image::CropSteps;
using image::CropUnit;

absl::Status InferCropResize(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<CropResizeAttrs>();
  const Shape &x = c.shape(0), &boxes = c.shape(1), &batch = c.shape(2);
  if (x.rank() != 4)
    return MakeError(label::crop_resize_c1, absl::StrCat(x.ToString(), " is not [N, C, H, W]"));
  if (boxes.rank() != 2 || boxes[1] != 4 || batch.rank() != 1 || batch[0] != boxes[0]) {
    return MakeError(label::crop_resize_c2, absl::StrCat("boxes ", boxes.ToString(), " and batch ",
                                                         batch.ToString(), " are not [R, 4] and [R]"));
  }
  Int128 divisor = 1;
  for (int i = 0; i < 2; ++i) {
    const int64_t n = x[2 + i], unit = CropUnit(attrs.fraction);
    const int64_t steps = CropSteps(attrs.grid, attrs.size[i]);
    // |start| <= 3 box and |length| <= 4 box in half units, whatever the form; a point is start + at most
    // length + 1.
    const Int128 box =
        SatMul(SatMul(WideInterval(c.interval(1)).Magnitude(), attrs.multiplier), attrs.normalized ? n : 1);
    const Int128 reach = SatAdd(SatMul(box, 8), unit);
    RETURN_IF_ERROR(CheckPositions(SatMul(SatAdd(reach, SatMul(n, unit)), steps), label::crop_resize_c3));
    divisor = SatMul(divisor, SatMul(unit, steps));
  }
  const WideInterval value =
      attrs.zero_outside ? WideInterval(c.interval(0)).Hull({0, 0}) : WideInterval(c.interval(0));
  const Dims dims = {boxes[0], x[1], attrs.size[0], attrs.size[1]};
  return AddQuotient(c, dims, MeanOf(value, divisor, attrs.result_fraction), label::crop_resize_c4, out);
}

WideGas GasCropResize(const GasContext& c) {
  return SatAdd(1024, SatAdd(SatMul(c.elements_out(0), 320), SatMul(64, PointsOf(c.results[0].shape))));
}

}  // namespace tally
