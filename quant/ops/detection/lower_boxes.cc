#include <array>
#include <cmath>

#include "base/error.h"
#include "base/status_macros.h"
#include "ops/composition.h"
#include "ops/detection/lowering/attrs.h"
#include "ops/lowerings.h"
#include "quant/lower/lowering.h"
#include "quant/lower/recipe_scale.h"
#include "quant/ops/detection/detection_ops.h"

namespace tally::quant {
namespace {

// Bits after the point of variances and exponentials: as many as products leave room for. A variance is
// small, so each counts.
constexpr int64_t kMostFraction = 30;

struct DecodedBoxes {
  Composition c{Profile::kCore};
  tally::Value boxes;
};

// Corners on the grid of the priors, which a zero point moves as it moves these.
absl::Status Decode(const BoxDecode& op, const std::array<Lowered, 2>& operands,
                    const std::array<tally::Shape, 2>& shapes, int64_t fraction, DecodedBoxes& decoded) {
  Composition& c = decoded.c;
  const QuantizedType &deltas = operands[0].type, &priors = operands[1].type;
  const auto variance = std::llround(
      std::ldexp(deltas.scale * static_cast<double>(op.center_variance), static_cast<int>(fraction)));
  Recipe exp = {.function = RecipeFunction::kExp,
                .out = {.multiplier = 1, .shift = fraction},
                .first = deltas.interval.lo,
                .count = deltas.interval.hi - deltas.interval.lo + 1,
                .lo = 0,
                .hi = int64_t{1} << 40};
  ASSIGN_OR_RETURN(exp.in, RecipeScaleOf(deltas.scale * static_cast<double>(op.size_variance)));
  const tally::Value x = c.Input({shapes[0], deltas.interval}),
                     around = c.Input({shapes[1], priors.interval});
  ASSIGN_OR_RETURN(const tally::Value table, c.Constant(exp));
  const BoxDecodeAttrs attrs = {.fraction = fraction,
                                .table_offset = exp.first,
                                .side_offset = std::llround(op.side_offset / priors.scale)};
  ASSIGN_OR_RETURN(
      decoded.boxes,
      LowerOne(c, "box_decode", {{x, around, c.Constant({1, 2}, {variance, variance}), table}}, attrs));
  return absl::OkStatus();
}

}  // namespace

LoweredResult BoxDecode::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  std::array<Lowered, 2> operands;
  std::array<tally::Shape, 2> shapes;
  for (size_t i = 0; i < 2; ++i) {
    ASSIGN_OR_RETURN(operands[i], lowering.Operand(node, i));
    ASSIGN_OR_RETURN(operands[i], lowering.Within16Bits(operands[i]));
    const auto shape = tally::Shape::Create(lowering.ShapeOfOperand(node, i));
    if (!shape.ok()) return MakeError(label::lower_shape, std::string(shape.status().message()));
    shapes[i] = *shape;
  }
  ASSIGN_OR_RETURN(operands[0], lowering.Centered(operands[0]));
  absl::Status refused;
  for (int64_t fraction = kMostFraction; fraction > 0; --fraction) {
    DecodedBoxes decoded;
    refused = Decode(*this, operands, shapes, fraction, decoded);
    if (!refused.ok()) continue;
    QuantizedType type = operands[1].type;
    type.interval = decoded.c.interval(decoded.boxes);
    const tally::ValueId boxes =
        lowering.builder().Append(decoded.c, {{operands[0].id, operands[1].id}}, {{decoded.boxes}})[0];
    return lowering.OnGrid({boxes, type}, to);
  }
  return MakeError(label::lower_unsupported,
                   "the deltas of boxes are too large: " + std::string(refused.message()));
}

}  // namespace tally::quant
