#include "quant/graph/infer_type.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "quant/graph/infer_rules.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

// These move elements and do not care what they are.
bool TakesAnyElement(const Op& op) {
  return std::holds_alternative<Reshape>(op) || std::holds_alternative<Transpose>(op) ||
         std::holds_alternative<Concat>(op);
}

}  // namespace

absl::StatusOr<ValueType> InferType(const Op& op, const std::vector<ValueType>& operands) {
  const OperandCount count = OperandCountOf(op);
  if (operands.size() < count.least || operands.size() > count.most) {
    return MakeError(label::graph_operands, std::string(OpName(op)) + " does not take " +
                                                std::to_string(operands.size()) + " operands");
  }
  const bool all_float = std::all_of(operands.begin(), operands.end(), [](const ValueType& type) {
    return type.element == ElementType::kFloat32;
  });
  if (!all_float && !TakesAnyElement(op)) {
    return MakeError(label::graph_element_type, std::string(OpName(op)) + " takes float32 operands only");
  }
  ASSIGN_OR_RETURN(ValueType type, std::visit([&](const auto& rule) { return Infer(rule, operands); }, op));
  RETURN_IF_ERROR(CheckShape(type.shape));
  return type;
}

}  // namespace tally::quant
