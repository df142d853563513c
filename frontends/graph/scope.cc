#include "frontends/graph/scope.h"

#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/fold.h"
#include "frontends/graph/labels.h"
#include "quant/graph/infer_type.h"
#include "quant/graph/move_codes.h"

namespace tally::frontend {

using quant::Op;
using quant::Tensor;
using quant::ValueId;

absl::Status Scope::Bind(const std::string& name, Operand operand) {
  if (name.empty()) return MakeError(label::model_malformed, "a value has no name");
  const std::optional<ValueId> value = operand.value;
  if (!bindings_.emplace(name, std::move(operand)).second) {
    return MakeError(label::model_malformed, "two values are called '" + PrintableStart(name) + "'");
  }
  if (value.has_value()) bound_.insert(*value);
  return absl::OkStatus();
}

absl::Status Scope::Rebind(const std::string& name, Operand operand) {
  RETURN_IF_ERROR(Lookup(name).status());
  bindings_.at(name) = std::move(operand);
  return absl::OkStatus();
}

absl::Status Scope::BindError(const std::string& name, absl::Status error) {
  RETURN_IF_ERROR(Bind(name, Operand{}));
  bindings_.at(name) = std::move(error);
  return absl::OkStatus();
}

absl::StatusOr<Operand> Scope::Lookup(const std::string& name) const {
  const auto found = bindings_.find(name);
  if (found == bindings_.end()) {
    return MakeError(label::model_malformed, "nothing before it produces '" + PrintableStart(name) + "'");
  }
  return found->second;
}

void Scope::Release(const std::string& name) {
  const auto found = bindings_.find(name);
  if (found != bindings_.end() && found->second.ok() && found->second->is_constant()) bindings_.erase(found);
}

absl::StatusOr<Operand> Scope::AddInput(const quant::Value& input) {
  ASSIGN_OR_RETURN(const ValueId value, builder_.AddInput(input));
  return OperandOf(value);
}

Operand Scope::FileConstant(const std::string& name, Tensor tensor) {
  auto shared = std::make_shared<const Tensor>(std::move(tensor));
  return {name, quant::TypeOf(*shared), std::nullopt, std::move(shared)};
}

absl::StatusOr<Operand> Scope::ComputedConstant(const std::string& name, Tensor tensor) {
  RETURN_IF_ERROR(Charge(quant::NumElements(quant::ShapeOf(tensor))));
  return FileConstant(name, std::move(tensor));
}

absl::StatusOr<Operand> Scope::FilledConstant(const std::string& name, const quant::Shape& shape,
                                              const Tensor& number) {
  constexpr int64_t kWorkOfElement = 4;  // as elements of a file have it
  RETURN_IF_ERROR(quant::CheckShape(shape));
  const int64_t count = quant::NumElements(shape);
  if (count > num_fillable_) {
    return MakeError(label::model_too_large, absl::StrCat("constants of one number have more than ",
                                                          kMostFilled, " elements together"));
  }
  num_fillable_ -= count;
  num_computable_ += kWorkOfElement * count;
  return std::visit(
      [&](const auto& one) {
        auto filled = one;
        filled.data.assign(static_cast<size_t>(count), one.data[0]);
        filled.shape = shape;
        return FileConstant(name, std::move(filled));
      },
      number);
}

absl::Status Scope::Charge(int64_t num_elements) {
  if (num_elements > num_computable_) {
    return MakeError(label::model_too_large,
                     "the constants that it computes are too large for a file of this size");
  }
  num_computable_ -= num_elements;
  return absl::OkStatus();
}

absl::StatusOr<Operand> Scope::Emit(Op op, const std::vector<Operand>& operands, const std::string& name,
                                    const std::string& source) {
  if (Folds(op, operands)) {
    std::vector<quant::ValueType> types;
    for (const Operand& operand : operands) types.push_back(operand.type);
    ASSIGN_OR_RETURN(const quant::ValueType type, quant::InferType(op, types));
    RETURN_IF_ERROR(Charge(WorkOf(op, operands, type)));
    ASSIGN_OR_RETURN(Tensor tensor, Fold(op, operands, type));
    Operand result = FileConstant(name, std::move(tensor));
    if (quant::TraitsOf(op).moves && operands.size() == 1 && operands[0].constant_codes != nullptr) {
      result.constant_codes = quant::MovedCodes(*operands[0].constant_codes, op, operands[0].shape(), type);
    }
    return result;
  }
  std::vector<ValueId> values;
  for (const Operand& operand : operands) {
    ASSIGN_OR_RETURN(const ValueId value, ValueOf(operand));
    values.push_back(value);
  }
  ASSIGN_OR_RETURN(const ValueId result, builder_.AddNode(std::move(op), std::move(values), name, source));
  return OperandOf(result);
}

Operand Scope::Named(Operand operand, const std::string& name) {
  if (bound_.contains(*operand.value)) return operand;
  builder_.Rename(*operand.value, name);
  operand.name = builder_.graph().values[*operand.value].name;
  return operand;
}

absl::Status Scope::AddOutput(const Operand& operand, const std::string& name) {
  ASSIGN_OR_RETURN(const ValueId value, ValueOf(operand));
  builder_.AddOutput(value, name);
  return absl::OkStatus();
}

absl::Status Scope::PinInput(ValueId input, const quant::QuantizedType& grid) {
  const auto [pinned, is_new] = pinned_inputs_.emplace(input, grid);
  if (is_new || pinned->second == grid) return absl::OkStatus();
  return MakeError(label::model_unsupported_operand, "input '" + builder_.graph().values[input].name +
                                                         "' is read with two scales or zero points");
}

absl::StatusOr<ValueId> Scope::ValueOf(const Operand& operand) {
  if (operand.value.has_value()) return *operand.value;
  const auto found = constants_.find(operand.constant.get());
  if (found != constants_.end()) return found->second;
  ASSIGN_OR_RETURN(const ValueId value,
                   builder_.AddConstant(operand.name, operand.constant, operand.constant_codes));
  // The graph keeps the tensor alive, so its address stays its own.
  constants_[operand.constant.get()] = value;
  return value;
}

Operand Scope::OperandOf(ValueId value) const {
  const quant::Value& known = builder_.graph().values[value];
  return {known.name, known.type, value, nullptr};
}

}  // namespace tally::frontend
