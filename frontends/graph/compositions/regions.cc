#include "frontends/graph/compositions/regions.h"

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

absl::StatusOr<RegionOperands> SplitRegions(Emitter& emitter, const Operand& rows) {
  const quant::Shape& shape = rows.shape();
  if (shape.size() != 2 || shape[1] != 5) {
    return MakeError(label::model_shape, "regions are " + quant::ToString(shape) + ", not [R, 5]");
  }
  const int64_t count = shape[0];
  RegionOperands split;
  ASSIGN_OR_RETURN(split.regions, emitter.Emit(quant::Slice{{0, 1}, {count, 5}, {1, 1}}, {rows}, "regions"));
  ASSIGN_OR_RETURN(const Operand column,
                   emitter.Emit(quant::Slice{{0, 0}, {count, 1}, {1, 1}}, {rows}, "column"));
  ASSIGN_OR_RETURN(const Operand numbers, emitter.Emit(quant::Reshape{{count}}, {column}, "numbers"));
  ASSIGN_OR_RETURN(split.images, emitter.Emit(quant::ToInteger{}, {numbers}, "images"));
  return split;
}

}  // namespace tally::frontend
