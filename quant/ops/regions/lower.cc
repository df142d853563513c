#include "quant/ops/regions/lower_positions.h"
#include "quant/ops/regions/region_ops.h"
#include "quant/ops/regions/sampled_ops.h"

namespace tally::quant {
namespace {

// A scale as multiplier / 2^shift, exactly where it has up to 30 bits after the point.
struct Dyadic {
  explicit Dyadic(double scale) : multiplier(std::llround(std::ldexp(scale, 30))), shift(30) {
    while (shift > 0 && (multiplier % 2 == 0 || multiplier >= int64_t{1} << 31)) {
      multiplier /= 2;
      --shift;
    }
    multiplier = std::max<int64_t>(multiplier, 1);
  }
  int64_t multiplier, shift;
};

std::vector<int64_t> Sizes(const Extents& size) { return {size.y, size.x}; }

absl::StatusOr<Lowered> CenteredImage(Lowering& lowering, const Node& node) {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  return lowering.Centered(x);
}

// The sampled image on the grid of the result.
template <typename AttrsOf>
LoweredResult SampledOnGrid(Lowering& lowering, const Node& node, const QuantizedType& to, Opcode op,
                            const std::vector<PositionOperand>& positions, AttrsOf attrs_of) {
  ASSIGN_OR_RETURN(const Lowered x, CenteredImage(lowering, node));
  ASSIGN_OR_RETURN(const Lowered y, LowerSampled(lowering, node, op, x, positions, attrs_of));
  return lowering.OnGrid(y, to);
}

}  // namespace

// Corners that are rounded to pixels first are scaled by the VM; others while they go onto their grid.
LoweredResult RoiMaxPool::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered x, CenteredImage(lowering, node));
  ASSIGN_OR_RETURN(Lowered y,
                   LowerSampled(lowering, node, Opcode::kRoiMaxPool, x, {{1, scale}}, [&](int fraction, int) {
                     return RoiAttrs{.pooled_size = Sizes(size), .fraction = fraction};
                   }));
  y.type.scale = x.type.scale;  // it chooses elements
  return lowering.OnGrid(y, to);
}

LoweredResult RoiAlign::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  return SampledOnGrid(lowering, node, to, Opcode::kRoiAlign, {{1, scale}},
                       [&](int fraction, int result_fraction) {
                         RoiAlignAttrs attrs;
                         attrs.pooled_size = Sizes(size);
                         attrs.fraction = fraction;
                         attrs.mode = mode;
                         attrs.half_pixel = half_pixel;
                         attrs.sampling_ratio = sampling_ratio;
                         attrs.result_fraction = result_fraction;
                         return attrs;
                       });
}

LoweredResult PsroiPool::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  const bool averages = mode == PsroiMode::kAverage;
  const Dyadic factor(averages ? scale : 1.0);
  return SampledOnGrid(lowering, node, to, Opcode::kPsroiPool, {{1, averages ? 1.0 : scale}},
                       [&](int fraction, int result_fraction) {
                         PsroiPoolAttrs attrs;
                         attrs.pooled_size = Sizes(size);
                         attrs.fraction = fraction;
                         attrs.multiplier = factor.multiplier;
                         attrs.shift = factor.shift;
                         attrs.mode = mode;
                         attrs.spatial_bins = Sizes(parts);
                         attrs.result_fraction = result_fraction;
                         return attrs;
                       });
}

LoweredResult DeformablePsroiPool::Lower(Lowering& lowering, const Node& node,
                                         const QuantizedType& to) const {
  const Dyadic factor(scale);
  std::vector<PositionOperand> positions = {{1, 1.0}};
  if (node.operands.size() == 4) positions.push_back({3, offset_scale});
  return SampledOnGrid(lowering, node, to, Opcode::kDeformablePsroiPool, positions,
                       [&](int fraction, int result_fraction) {
                         DeformablePsroiPoolAttrs attrs;
                         attrs.pooled_size = Sizes(size);
                         attrs.fraction = fraction;
                         attrs.multiplier = factor.multiplier;
                         attrs.shift = factor.shift;
                         attrs.spatial_bins = Sizes(parts);
                         attrs.offset_fraction = fraction;
                         attrs.position_fraction = fraction;
                         attrs.result_fraction = result_fraction;
                         return attrs;
                       });
}

LoweredResult CropResize::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  return SampledOnGrid(lowering, node, to, Opcode::kCropResize, {{1, scale}},
                       [&](int fraction, int result_fraction) {
                         return CropResizeAttrs{.size = Sizes(size),
                                                .grid = grid,
                                                .boxes = boxes,
                                                .normalized = normalized,
                                                .fraction = fraction,
                                                .zero_outside = zero_outside,
                                                .result_fraction = result_fraction};
                       });
}

LoweredResult GridSample::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  return SampledOnGrid(lowering, node, to, Opcode::kGridSample, {{1, 1.0}},
                       [&](int fraction, int result_fraction) {
                         return GridSampleAttrs{.mode = mode,
                                                .padding = padding,
                                                .align_corners = align_corners,
                                                .fraction = fraction,
                                                .result_fraction = result_fraction};
                       });
}

}  // namespace tally::quant
