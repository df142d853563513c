// Calls of the operators that sample images: resampling, crops, grids, regions and deformable convolution.
#include <algorithm>

#include "fuzz/generators/call_generators.h"
#include "ops/image/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/pooling/attrs.h"

namespace tally {
namespace {

// Room for the squares of positions.
constexpr Interval kPixel = {-(1 << 16), 1 << 16};

DraftId Images(CallContext& c) { return c.Operand({.min_rank = 4, .max_rank = 4, .within = kPixel}); }

// Coordinates around an image, some of them far away.
DraftId Coordinates(CallContext& c, const std::vector<int64_t>& dims) {
  const int64_t far = c.e.OneIn(8) ? int64_t{1} << 40 : c.e.Between(1, 100);
  return c.Operand({.shape = ShapeOf(dims), .within = {-far, far}});
}

Attempt DrawResample(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = c.e.OneIn(2) ? 3 : 1, .within = kPixel});
  const int64_t axis = c.Axis(c.shape(x).rank()), size = DimAt(c.shape(x), axis);
  const int64_t rows = c.e.Between(1, 5), taps = c.e.Between(1, 4);
  std::vector<int64_t> index, weight;
  for (int64_t i = 0; i < rows * taps; ++i) {
    index.push_back(c.e.Between(0, size - 1));
    weight.push_back(c.e.Between(-3000, 3000));
  }
  const Shape table = ShapeOf({rows, taps});
  return {{x, c.Constant(table, index), c.Constant(table, weight)}, Pack(ResampleAttrs{.axis = axis})};
}

Attempt DrawCropResize(CallContext& c) {
  const int64_t boxes = c.e.Between(1, 3);
  const CropResizeAttrs attrs = {.size = {c.e.Between(1, 4), c.e.Between(1, 4)},
                                 .grid = static_cast<CropGrid>(c.e.Between(0, 3)),
                                 .boxes = static_cast<BoxForm>(c.e.Between(0, 3)),
                                 .normalized = c.e.OneIn(3),
                                 .fraction = c.e.Between(0, 6),
                                 .multiplier = c.e.Between(1, 3),
                                 .zero_outside = c.e.OneIn(2),
                                 .result_fraction = c.e.Between(0, 4)};
  return {{Images(c), Coordinates(c, {boxes, 4}), Coordinates(c, {boxes})}, Pack(attrs)};
}

Attempt DrawGridSample(CallContext& c) {
  const DraftId x = Images(c);
  const GridSampleAttrs attrs = {.mode = static_cast<GridSampleMode>(c.e.Between(0, 2)),
                                 .padding = static_cast<GridPadding>(c.e.Between(0, 2)),
                                 .align_corners = c.e.OneIn(2),
                                 .fraction = c.e.Between(0, 5),
                                 .result_fraction = c.e.Between(0, 4)};
  return {{x, Coordinates(c, {c.shape(x)[0], c.e.Between(1, 3), c.e.Between(1, 3), 2})}, Pack(attrs)};
}

// Regions with their images, and the attributes that all operators over regions have.
template <typename Attrs>
Attempt DrawRegions(CallContext& c, DraftId x, Attrs& attrs) {
  const int64_t regions = c.e.Between(1, 3);
  attrs.fraction = c.e.Between(0, 4);
  attrs.multiplier = c.e.Between(1, 3);
  attrs.shift = c.e.Between(0, 3);
  return {{x, Coordinates(c, {regions, 4}), Coordinates(c, {regions})}};
}

// Images whose channels are a multiple of `group`.
DraftId GroupedImages(CallContext& c, int64_t group) {
  const int64_t channels = group * c.e.Between(1, 2);
  return c.Operand({.shape = ShapeOf({c.e.Between(1, 2), channels, c.e.Between(1, 5), c.e.Between(1, 5)}),
                    .within = kPixel});
}

Attempt DrawRoiMaxPool(CallContext& c) {
  RoiAttrs attrs;
  attrs.pooled_size = {c.e.Between(1, 3), c.e.Between(1, 3)};
  Attempt attempt = DrawRegions(c, c.Operand({.min_rank = 4, .max_rank = 4}), attrs);
  attempt.attributes = Pack(attrs);
  return attempt;
}

Attempt DrawRoiAlign(CallContext& c) {
  RoiAlignAttrs attrs;
  attrs.pooled_size = {c.e.Between(1, 3), c.e.Between(1, 3)};
  attrs.mode = static_cast<RoiAlignMode>(c.e.Between(0, 2));
  attrs.half_pixel = c.e.OneIn(2);
  attrs.sampling_ratio = c.e.Between(0, 2);
  Attempt attempt = DrawRegions(c, Images(c), attrs);
  attempt.attributes = Pack(attrs);
  return attempt;
}

Attempt DrawPsroiPool(CallContext& c) {
  PsroiPoolAttrs attrs;
  attrs.pooled_size = {c.e.Between(1, 2), c.e.Between(1, 3)};
  attrs.mode = static_cast<PsroiMode>(c.e.Between(0, 1));
  attrs.spatial_bins = {c.e.Between(1, 2), c.e.Between(1, 2)};
  const auto& group = attrs.mode == PsroiMode::kAverage ? attrs.pooled_size : attrs.spatial_bins;
  Attempt attempt = DrawRegions(c, GroupedImages(c, group[0] * group[1]), attrs);
  attempt.attributes = Pack(attrs);
  return attempt;
}

Attempt DrawDeformablePsroiPool(CallContext& c) {
  DeformablePsroiPoolAttrs attrs;
  attrs.pooled_size = {c.e.Between(1, 2), c.e.Between(1, 3)};
  attrs.spatial_bins = {c.e.Between(1, 2), c.e.Between(1, 2)};
  attrs.offset_fraction = c.e.Between(0, 4);
  attrs.position_fraction = c.e.Between(0, 8);
  Attempt attempt = DrawRegions(c, GroupedImages(c, attrs.pooled_size[0] * attrs.pooled_size[1]), attrs);
  if (c.e.OneIn(2)) {
    const int64_t regions = c.shape(attempt.operands[1])[0];
    attempt.operands.push_back(Coordinates(c, {regions, 2, c.e.Between(1, 2), c.e.Between(1, 2)}));
  }
  attempt.attributes = Pack(attrs);
  return attempt;
}

Attempt DrawDeformableConv2d(CallContext& c) {
  DeformableConv2dAttrs attrs;
  const DraftId x = Images(c);
  const Shape image = c.shape(x);  // a copy: further operands move what the draft holds
  const auto dims = image.dims();
  attrs.groups = c.e.OneIn(3) ? dims[1] : 1;
  attrs.offset_groups = c.e.OneIn(3) ? dims[1] : 1;
  attrs.border = c.e.OneIn(2) ? DeformableBorder::kZeroPixels : DeformableBorder::kZeroSamples;
  attrs.offset_fraction = c.e.Between(0, 3);
  attrs.shift = c.e.Between(0, 10);
  std::vector<int64_t> weight = {attrs.groups * c.e.Between(1, 2), dims[1] / attrs.groups}, places;
  for (int i = 0; i < 2; ++i) {
    attrs.padding[i] = c.e.Between(0, 1);
    attrs.stride[i] = c.e.Between(1, 2);
    const int64_t room = dims[2 + i] + attrs.padding[i];
    weight.push_back(c.e.Between(1, std::min<int64_t>(room, 2)));
    places.push_back((room - weight.back()) / attrs.stride[i] + 1);
  }
  const int64_t taps = attrs.offset_groups * weight[2] * weight[3];
  Attempt attempt = {{x, c.Operand({.shape = ShapeOf(weight), .within = {-128, 127}}),
                      Coordinates(c, {dims[0], 2 * taps, places[0], places[1]})}};
  if (c.e.OneIn(2)) {
    attempt.operands.push_back(
        c.Operand({.shape = ShapeOf({dims[0], taps, places[0], places[1]}), .within = {-128, 127}}));
  }
  attempt.attributes = Pack(attrs);
  return attempt;
}

}  // namespace

CallGenerator FindSamplingCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kResample: return DrawResample;
    case Opcode::kCropResize: return DrawCropResize;
    case Opcode::kGridSample: return DrawGridSample;
    case Opcode::kRoiMaxPool: return DrawRoiMaxPool;
    case Opcode::kRoiAlign: return DrawRoiAlign;
    case Opcode::kPsroiPool: return DrawPsroiPool;
    case Opcode::kDeformablePsroiPool: return DrawDeformablePsroiPool;
    case Opcode::kDeformableConv2d: return DrawDeformableConv2d;
    default: return nullptr;
  }
}

}  // namespace tally
