#include "base/error.h"
#include "base/status_macros.h"
#include "ops/composition.h"
#include "ops/lowerings.h"
#include "quant/labels.h"
#include "quant/lower/lowering.h"
#include "quant/ops/image/image_ops.h"

namespace tally::quant {

namespace {

// The image on the grid of x, and what its codes may be.
absl::StatusOr<Lowered> ResizedBy(Lowering& lowering, const Node& node, const ResizeAttrs& attrs) {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  const auto shape = tally::Shape::Create(lowering.ShapeOfOperand(node, 0));
  if (!shape.ok()) return MakeError(label::lower_shape, std::string(shape.status().message()));
  Composition c(Profile::kCore);
  const tally::Value image = c.Input({*shape, x.type.interval});
  ASSIGN_OR_RETURN(const tally::Value y, LowerOne(c, "resize", {{image}}, attrs));
  QuantizedType type = x.type;
  type.interval = c.interval(y);
  return Lowered{lowering.builder().Append(c, {{x.id}}, {{y}})[0], type};
}

}  // namespace

// Weights sum to 1, so the zero point stays where it is and no value leaves the interval.
LoweredResult Resize::Lower(Lowering& lowering, const Node& node, const QuantizedType&) const {
  ASSIGN_OR_RETURN(const Lowered y, ResizedBy(lowering, node, attrs()));
  return y.id;
}

// Some weights are below 0: what overshoots is brought onto a grid that has room for it.
LoweredResult ResizeCubic::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  ASSIGN_OR_RETURN(const Lowered y, ResizedBy(lowering, node, attrs()));
  return lowering.OnGrid(y, to);
}

}  // namespace tally::quant
