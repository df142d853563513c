#include "quant/graph/infer_type.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "quant/labels.h"

namespace tally::quant {

absl::StatusOr<ValueType> InferType(const Op& op, const std::vector<ValueType>& operands) {
  const OpTraits& traits = TraitsOf(op);
  if (operands.size() < traits.least || operands.size() > traits.most) {
    return MakeError(label::graph_operands, std::string(traits.name) + " does not take " +
                                                std::to_string(operands.size()) + " operands");
  }
  const bool all_float = std::all_of(operands.begin(), operands.end(), [](const ValueType& type) {
    return type.element == ElementType::kFloat32;
  });
  if (!all_float && !traits.moves && !traits.takes_integers) {
    return MakeError(label::graph_element_type, std::string(traits.name) + " takes float32 operands only");
  }
  ASSIGN_OR_RETURN(ValueType type, std::visit([&](const auto& rule) { return rule.Infer(operands); }, op));
  RETURN_IF_ERROR(CheckShape(type.shape));
  return type;
}

}  // namespace tally::quant
