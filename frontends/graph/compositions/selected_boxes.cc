#include "frontends/graph/compositions/selected_boxes.h"

#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/compositions/selection.h"

namespace tally::frontend {

using quant::FloatTensor;
using quant::Shape;

absl::StatusOr<Operand> InShape(Emitter& emitter, const Operand& x, const Shape& shape,
                                std::string_view step) {
  if (x.shape() == shape) return x;
  return emitter.Emit(quant::Reshape{shape}, {x}, step);
}

absl::StatusOr<Operand> CutToBounds(Emitter& emitter, Operand boxes,
                                    const std::optional<std::vector<float>>& bounds) {
  if (!bounds.has_value()) return boxes;
  const std::vector<float>& most = *bounds;
  ASSIGN_OR_RETURN(const Operand zero, emitter.NewConstant(0.0f, "zero"));
  ASSIGN_OR_RETURN(boxes, emitter.Emit(quant::Max{}, {boxes, zero}, "from_zero"));
  ASSIGN_OR_RETURN(const Operand ends,
                   emitter.NewConstant(FloatTensor{{4}, {most[0], most[1], most[0], most[1]}}, "bounds"));
  return emitter.Emit(quant::Min{}, {boxes, ends}, "within");
}

absl::StatusOr<KeptBoxes> SuppressBoxes(Emitter& emitter, const Operand& boxes, const Operand& scores,
                                        quant::NonMaxSuppression how) {
  KeptBoxes kept;
  ASSIGN_OR_RETURN(kept.rows, emitter.Emit(how, {boxes, scores}, "selected"));
  how.result = quant::SuppressionResult::kCount;
  ASSIGN_OR_RETURN(kept.counts, emitter.Emit(how, {boxes, scores}, "count"));
  return kept;
}

absl::StatusOr<Operand> SelectedBoxes::Column(int64_t column, std::string_view step) {
  const int64_t count = rows_.shape()[0];
  ASSIGN_OR_RETURN(const Operand part, Part(emitter_, rows_, 1, column, column + 1, "column"));
  return InShape(emitter_, part, {count}, step);
}

absl::StatusOr<Operand> SelectedBoxes::At(const Operand& from, const std::vector<int64_t>& columns,
                                          std::string_view step) {
  std::vector<Operand> parts;
  for (const int64_t column : columns) {
    ASSIGN_OR_RETURN(const Operand part, Part(emitter_, rows_, 1, column, column + 1, "column"));
    parts.push_back(part);
  }
  ASSIGN_OR_RETURN(const Operand places, emitter_.Emit(quant::Concat{1}, parts, "places"));
  ASSIGN_OR_RETURN(const Operand there, emitter_.Emit(quant::GatherNd{}, {from, places}, "there"));
  ASSIGN_OR_RETURN(Operand exists, Column(0, "exists"));
  ASSIGN_OR_RETURN(const Operand zero, emitter_.NewConstant(int64_t{0}, "zero"));
  ASSIGN_OR_RETURN(exists,
                   emitter_.Emit(quant::Compare{Comparison::kGreaterEqual}, {exists, zero}, "exists"));
  Shape shape(there.shape().size(), 1);
  shape[0] = there.shape()[0];
  ASSIGN_OR_RETURN(exists, InShape(emitter_, exists, shape, "exists"));
  ASSIGN_OR_RETURN(const Operand nothing, ZeroLike(emitter_, there));
  return emitter_.Emit(quant::Where{}, {exists, there, nothing}, step);
}

}  // namespace tally::frontend
