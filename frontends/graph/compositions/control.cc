#include "frontends/graph/compositions/control.h"

#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

absl::StatusOr<Operand> Either(Emitter& emitter, const Operand& condition, const Operand& a,
                               const Operand& b) {
  if (!condition.is_integer() || quant::NumElements(condition.shape()) != 1) {
    return MakeError(label::model_malformed, "its condition is not one flag");
  }
  if (a.type != b.type) {
    return MakeError(label::model_unsupported_operand,
                     "its condition is computed at run time, and a result is " + ToString(a.type) + " or " +
                         ToString(b.type) +
                         ": where the condition depends on shapes, fix these (--shape, --batch), and where "
                         "on an input, fix that (--fix NAME=VALUE)");
  }
  ASSIGN_OR_RETURN(const Operand flag, emitter.Emit(quant::Reshape{{}}, {condition}, "condition"));
  return emitter.Emit(quant::Where{}, {flag, a, b}, "chosen");
}

absl::StatusOr<Operand> Stacked(Emitter& emitter, const std::vector<Operand>& parts) {
  if (parts.empty()) return MakeError(label::model_shape, "it has no trips: an empty result");
  std::vector<Operand> slices;
  for (const Operand& part : parts) {
    quant::Shape shape = part.shape();
    shape.insert(shape.begin(), 1);
    ASSIGN_OR_RETURN(Operand slice, emitter.Emit(quant::Reshape{shape}, {part}, "slice"));
    slices.push_back(std::move(slice));
  }
  return emitter.Emit(quant::Concat{0}, slices, "stacked");
}

}  // namespace tally::frontend
