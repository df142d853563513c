// Images of more channels than a vector or a thread of a device has at once, sampled inside and around their
// borders.
#include <type_traits>

#include "fuzz/generators/values.h"
#include "ops/image/attrs.h"
#include "ops/pooling/attrs.h"
#include "tests/kernels/drawn_call.h"

namespace tally {
namespace {

Interval Pixels(EntropySource& e) {
  return e.Pick<Interval>({{-128, 127}, {-128, 127}, {-32768, 32767}, {-65536, 65536}});
}

// Channels in multiples of `group`.
DraftId DrawImages(CallContext& c, int64_t group) {
  const int64_t channels = group * (c.e.OneIn(2) ? c.e.Between(1, 5) : c.e.Between(7, 20));
  const auto side = [&] { return c.e.Between(1, 9); };
  return c.draft.AddParam({ShapeOf({c.e.Between(1, 2), channels, side(), side()}), Pixels(c.e)});
}

DraftId DrawNumbers(CallContext& c, const std::vector<int64_t>& dims, const Interval& interval) {
  return c.draft.AddParam({ShapeOf(dims), interval});
}

Attempt DrawWideCrops(CallContext& c) {
  const CropResizeAttrs attrs = {.size = {c.e.Between(1, 6), c.e.Between(1, 6)},
                                 .grid = static_cast<CropGrid>(c.e.Between(0, 3)),
                                 .boxes = static_cast<BoxForm>(c.e.Between(0, 3)),
                                 .fraction = c.e.Between(0, 6),
                                 .zero_outside = c.e.OneIn(2),
                                 .result_fraction = c.e.Between(0, 4)};
  const int64_t boxes = c.e.Between(1, 3), reach = int64_t{10} << attrs.fraction;
  return {
      {DrawImages(c, 1), DrawNumbers(c, {boxes, 4}, {-reach / 5, reach}), DrawNumbers(c, {boxes}, {-1, 2})},
      Pack(attrs)};
}

// Also images of a single row or column, about whose centre a reflection folds.
Attempt DrawWideGrid(CallContext& c) {
  const GridSampleAttrs attrs = {.mode = static_cast<GridSampleMode>(c.e.Between(0, 2)),
                                 .padding = static_cast<GridPadding>(c.e.Between(0, 2)),
                                 .align_corners = c.e.OneIn(2),
                                 .fraction = c.e.Between(0, 5),
                                 .result_fraction = c.e.Between(0, 4)};
  const DraftId x = DrawImages(c, 1);
  const int64_t reach = c.e.Between(1, 4) << attrs.fraction;
  return {{x, DrawNumbers(c, {c.shape(x)[0], c.e.Between(1, 7), c.e.Between(1, 7), 2}, {-reach, reach})},
          Pack(attrs)};
}

// Regions that are whole, beside the image, and turned around.
template <typename Attrs>
Attempt DrawWideRegions(CallContext& c) {
  Attrs attrs;
  attrs.pooled_size = {c.e.Between(1, 4), c.e.Between(1, 4)};
  attrs.fraction = c.e.Between(0, 4);
  attrs.multiplier = c.e.Between(1, 3);
  attrs.shift = c.e.Between(0, 2);
  int64_t group = 1;
  if constexpr (std::is_same_v<Attrs, RoiAlignAttrs>) {
    attrs.mode = static_cast<RoiAlignMode>(c.e.Between(0, 2));
    attrs.half_pixel = c.e.OneIn(2);
    attrs.sampling_ratio = c.e.Between(0, 3);
  } else if constexpr (std::is_same_v<Attrs, PsroiPoolAttrs>) {
    attrs.mode = static_cast<PsroiMode>(c.e.Between(0, 1));
    attrs.spatial_bins = {c.e.Between(1, 3), c.e.Between(1, 2)};
    const auto& bins = attrs.mode == PsroiMode::kAverage ? attrs.pooled_size : attrs.spatial_bins;
    group = bins[0] * bins[1];
  } else if constexpr (std::is_same_v<Attrs, DeformablePsroiPoolAttrs>) {
    attrs.spatial_bins = {c.e.Between(1, 3), c.e.Between(1, 2)};
    attrs.offset_fraction = c.e.Between(0, 4);
    attrs.position_fraction = c.e.Between(0, 6);
    group = attrs.pooled_size[0] * attrs.pooled_size[1];
  }
  const int64_t regions = c.e.Between(1, 3), reach = int64_t{12} << attrs.fraction;
  const int64_t classes = c.e.Between(1, 2);
  Attempt attempt = {{DrawImages(c, group * classes), DrawNumbers(c, {regions, 4}, {-reach / 6, reach}),
                      DrawNumbers(c, {regions}, {-1, 2})},
                     Pack(attrs)};
  if (std::is_same_v<Attrs, DeformablePsroiPoolAttrs> && c.e.OneIn(2)) {
    attempt.operands.push_back(
        DrawNumbers(c, {regions, 2 * classes, c.e.Between(1, 3), c.e.Between(1, 3)}, {-16, 16}));
  }
  return attempt;
}

}  // namespace

CallGenerator FindSamplingKernelCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kCropResize: return DrawWideCrops;
    case Opcode::kGridSample: return DrawWideGrid;
    case Opcode::kRoiMaxPool: return DrawWideRegions<RoiAttrs>;
    case Opcode::kRoiAlign: return DrawWideRegions<RoiAlignAttrs>;
    case Opcode::kPsroiPool: return DrawWideRegions<PsroiPoolAttrs>;
    case Opcode::kDeformablePsroiPool: return DrawWideRegions<DeformablePsroiPoolAttrs>;
    default: return nullptr;
  }
}

}  // namespace tally
