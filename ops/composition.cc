#include "ops/composition.h"

#include <cstdlib>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/labels.h"
#include "ops/op_rules.h"

namespace tally {

Value Composition::Define(const TensorType& type) {
  values_.push_back({.type = type});
  return {num_values() - 1};
}

Value Composition::Input(const TensorType& type) {
  inputs_.push_back(Define(type));
  return inputs_.back();
}

Value Composition::Constant(const Tensor& tensor) {
  const Interval bounds = tensor.view().Bounds();
  const Value value = Define({tensor.shape(), bounds});
  values_.back().tensor = Tensor::Copy(tensor.view(), NarrowestStorage(bounds));
  values_.back().view = values_.back().tensor.view();
  values_.back().is_constant = true;
  return value;
}

Value Composition::Borrow(const TensorView& view) {
  const Value value = Define({view.shape, view.Bounds()});
  values_.back().view = view;
  values_.back().is_constant = values_.back().is_borrowed = true;
  return value;
}

Value Composition::Constant(std::initializer_list<int64_t> dims, std::span<const int64_t> values) {
  const auto shape = Shape::Create(dims);
  if (!shape.ok()) std::abort();
  const auto tensor = Tensor::FromValues(*shape, values);
  if (!tensor.ok()) std::abort();
  return Constant(*tensor);
}

absl::StatusOr<Value> Composition::Constant(const Recipe& recipe) {
  RETURN_IF_ERROR(CheckRecipe(recipe));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create({recipe.count}));
  ASSIGN_OR_RETURN(const Tensor tensor, ExpandToTensor(recipe, shape));
  return Constant(recipe, tensor);
}

Value Composition::Constant(const Recipe& recipe, const Tensor& entries) {
  const Value value = Constant(entries);
  values_.back().recipe = recipe;
  return value;
}

absl::StatusOr<std::vector<Value>> Composition::Emit(Opcode op, std::vector<Value> operands,
                                                     Attributes attributes) {
  const OpInfo& info = InfoOf(op);
  const int count = static_cast<int>(operands.size());
  if (count < info.min_operands || count > info.max_operands) {
    return MakeError(label::operand_count, absl::StrCat(ToAbsl(info.name), " has ", count, " operands"));
  }
  RETURN_IF_ERROR(CheckAttributes(info.attributes, attributes));
  bool known = true;
  ForEachFunction(info.attributes, attributes,
                  [&](int64_t function) { known &= function < static_cast<int64_t>(functions_.size()); });
  if (!known) return MakeError(label::function_reference, "a function that the composition does not know");
  std::vector<TensorType> types;
  std::vector<const TensorView*> constants;
  for (const Value operand : operands) {
    types.push_back(type(operand));
    constants.push_back(constant(operand));
  }
  // Published precisions belong to profile cvm, whose modules nobody composes.
  const std::vector<int> precisions(operands.size(), 32);
  const InferContext context = {profile_, &attributes, types, precisions, constants, {}, {}, functions_};
  Inferred inferred;
  RETURN_IF_ERROR(RulesOf(op).infer(context, &inferred));
  std::vector<Value> results;
  for (const TensorType& result : inferred.results) results.push_back(Define(result));
  steps_.push_back(
      {op, std::move(operands), std::move(attributes), results.front(), static_cast<int>(results.size())});
  return results;
}

}  // namespace tally
