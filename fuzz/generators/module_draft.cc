#include "fuzz/generators/module_draft.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/sha256.h"
#include "ops/control/attrs.h"
#include "ops/precision.h"
#include "vm/validator.h"

namespace tally {

DraftId ModuleDraft::AddParam(const TensorType& type) {
  values_.push_back({.type = type,
                     .precision = PrecisionOf(type.interval.Magnitude()),
                     .param = true,
                     .position = static_cast<ValueId>(params_.size())});
  params_.push_back(type);
  return size() - 1;
}

DraftId ModuleDraft::AddConstant(Tensor tensor) {
  const Interval bounds = tensor.view().Bounds();
  constants_.push_back(Tensor::Copy(tensor.view(), NarrowestStorage(bounds)));
  const ConstantAttrs attrs = {.index = static_cast<int64_t>(constants_.size()) - 1};
  body_.push_back({Opcode::kConstant, {}, Pack(attrs)});
  values_.push_back({.type = {tensor.shape(), bounds},
                     .precision = PrecisionOf(bounds.Magnitude()),
                     .constant = true,
                     .position = static_cast<ValueId>(values_.size() - params_.size())});
  return size() - 1;
}

std::optional<DraftId> ModuleDraft::AddConstant(const Recipe& recipe) {
  const auto shape = Shape::Create({recipe.count});
  if (!shape.ok()) return std::nullopt;
  auto tensor = ExpandToTensor(recipe, *shape);
  if (!tensor.ok()) return std::nullopt;
  recipes_.push_back({static_cast<uint32_t>(constants_.size()), recipe, Sha256Hash(tensor->bytes())});
  return AddConstant(*std::move(tensor));
}

int64_t ModuleDraft::AddFunctions(const Module& module) {
  const int64_t last = num_functions() + static_cast<int64_t>(module.functions.size());
  const int64_t first_constant = num_constants();
  for (const TensorView& constant : module.constants)
    constants_.push_back(Tensor::Copy(constant, constant.storage));
  for (RecipeConstant recipe : module.recipes) {
    recipe.constant += static_cast<uint32_t>(first_constant);
    recipes_.push_back(recipe);
  }
  for (size_t f = module.functions.size(); f-- > 0;) {
    Function& function = functions_.emplace_back(module.functions[f]);
    for (Instruction& instruction : function.body) {
      if (instruction.op == Opcode::kConstant) instruction.attributes[0][0] += first_constant;
      ForEachFunction(InfoOf(instruction.op).attributes, instruction.attributes,
                      [&](int64_t& number) { number = last - number; });
    }
  }
  return last;
}

bool ModuleDraft::TryEmit(Opcode op, const std::vector<DraftId>& operands, const Attributes& attributes) {
  const Mark before = mark();
  body_.push_back({op, {operands.begin(), operands.end()}, attributes});
  size_t count = 1;
  if (InfoOf(op).results != kResultsOfFunction) {
    count = static_cast<size_t>(InfoOf(op).results);
  } else if (attributes[0][0] >= 1 && attributes[0][0] <= num_functions()) {
    count = function(attributes[0][0]).results.size();
  }
  for (size_t r = 0; r < count; ++r) {
    values_.push_back({.position = static_cast<ValueId>(values_.size() - params_.size())});
  }
  const auto valid = Validate(Build({static_cast<DraftId>(before.values)}));
  if (!valid.ok() || valid->gas() > limits_.max_gas) {
    Rollback(before);
    return false;
  }
  for (DraftId id = static_cast<DraftId>(before.values); id < size(); ++id) {
    const ValueId number = NumberOf(id);
    values_[id].type = valid->types()[number];
    values_[id].precision = valid->precisions()[number];
    values_[id].constant = valid->constant(number) != nullptr;
    if (values_[id].type.shape.num_elements() > limits_.max_elements) {
      Rollback(before);
      return false;
    }
  }
  for (const DraftId id : operands) values_[id].used = true;
  return true;
}

void ModuleDraft::Rollback(const Mark& mark) {
  params_.resize(mark.params);
  constants_.resize(mark.constants);
  recipes_.resize(mark.recipes);
  functions_.resize(mark.functions);
  body_.resize(mark.body);
  values_.resize(mark.values);
}

Module ModuleDraft::Build(const std::vector<DraftId>& results) const {
  Module module;
  module.profile = profile_;
  Function& entry = module.functions.emplace_back();
  entry.params = params_;
  entry.body = body_;
  for (Instruction& instruction : entry.body) {
    for (ValueId& operand : instruction.operands) operand = NumberOf(static_cast<DraftId>(operand));
  }
  for (const DraftId id : results) entry.results.push_back(NumberOf(id));
  module.metadata = DefaultMetadata(entry);
  // Callers first.
  module.functions.insert(module.functions.end(), functions_.rbegin(), functions_.rend());
  for (Function& function : module.functions) {
    for (Instruction& instruction : function.body) {
      ForEachFunction(InfoOf(instruction.op).attributes, instruction.attributes,
                      [&](int64_t& number) { number = num_functions() + 1 - number; });
    }
  }
  // The views must point into the vector at its final address.
  auto owner = std::make_shared<const std::vector<Tensor>>(constants_);
  for (const Tensor& tensor : *owner) module.constants.push_back(tensor.view());
  module.recipes = recipes_;
  module.backing = std::move(owner);
  return module;
}

ValueId ModuleDraft::NumberOf(DraftId id) const {
  const DraftValue& value = values_[id];
  return value.param ? value.position : static_cast<ValueId>(params_.size()) + value.position;
}

}  // namespace tally
