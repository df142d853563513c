#include <bit>

#include "quant/lower/quantize_weights.h"
#include "quant/ops/regions/lower_positions.h"
#include "quant/ops/regions/sampled_ops.h"

namespace tally::quant {
namespace {

// Bits of the sums before the one rescale.
constexpr int kSumBits = 31;
constexpr int kFinestOffset = 8;

int BitsOf(const Interval& interval) { return std::bit_width(interval.Magnitude()); }

}  // namespace

// Weights have a scale for each channel; offsets are of 2^-8 pixels, or coarser where sums would not fit.
LoweredResult DeformableConv::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(Lowered x, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(x, lowering.Centered(x));
  const FloatTensor& weight = lowering.WeightOperand(node, 1);
  const QuantizedWeights codes =
      QuantizeWeights(weight, 0, {}, lowering.WeightBits(node, weight, 0, x.type.interval.Magnitude()));
  ASSIGN_OR_RETURN(const tally::ValueId weights, lowering.IntegerConstant(weight.shape, codes.codes));
  ASSIGN_OR_RETURN(const Lowered offset, lowering.Operand(node, 2));
  Lowered mask = {.type = {1, 0, {0, 1}}};
  if (node.operands.size() == 4) {
    ASSIGN_OR_RETURN(mask, lowering.Operand(node, 3));
    ASSIGN_OR_RETURN(mask, lowering.Centered(mask));
  }
  const int64_t largest = *std::max_element(codes.magnitude_sums.begin(), codes.magnitude_sums.end());
  const int bits = BitsOf(x.type.interval) + BitsOf(mask.type.interval) + BitsOf({0, largest});
  const int fraction = std::clamp((62 - bits) / 2, 0, kFinestOffset);
  const QuantizedType moved = FixedPoint(offset.type, fraction);
  const int shift = std::max(bits + 2 * fraction - kSumBits, 0);
  ASSIGN_OR_RETURN(const tally::ValueId offsets, lowering.OnGrid(offset, moved));
  std::vector<tally::ValueId> operands = {x.id, weights, offsets};
  if (node.operands.size() == 4) operands.push_back(mask.id);
  const tally::ValueId sum =
      lowering.builder().Op(Opcode::kDeformableConv2d, operands,
                            DeformableConv2dAttrs{.padding = {pad.top, pad.left, pad.bottom, pad.right},
                                                  .stride = {stride.y, stride.x},
                                                  .dilation = {dilation.y, dilation.x},
                                                  .groups = groups,
                                                  .offset_groups = offset_groups,
                                                  .border = border,
                                                  .offset_fraction = fraction,
                                                  .shift = shift});
  Requantization how = {.axis = 1};
  for (const double scale : codes.scales) {
    const double gain = std::ldexp(x.type.scale * mask.type.scale * scale / to.scale, shift - 2 * fraction);
    ASSIGN_OR_RETURN(const FixedMultiplier multiplier,
                     ToFixedMultiplier(gain, uint64_t{1} << std::min(bits + 2 * fraction, kSumBits)));
    how.gains.push_back(multiplier);
  }
  return lowering.Rescale(sum, how, to);
}

}  // namespace tally::quant
