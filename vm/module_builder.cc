#include "vm/module_builder.h"

#include <algorithm>
#include <utility>

#include "base/hash/sha256.h"
#include "base/status_macros.h"
#include "ops/control/attrs.h"
#include "vm/limits.h"

namespace tally {

ValueId ModuleBuilder::Param(std::string name, const TensorType& type,
                             std::optional<Quantization> quantization) {
  open_[0].function.params.push_back(type);
  module_.metadata.params.push_back({std::move(name), quantization});
  return open_[0].next_value++;
}

std::vector<ValueId> ModuleBuilder::BeginFunction(std::vector<TensorType> params) {
  OpenFunction& open = open_.emplace_back();
  open.function.params = std::move(params);
  std::vector<ValueId> ids;
  for (; open.next_value < open.function.params.size(); ++open.next_value) ids.push_back(open.next_value);
  return ids;
}

int64_t ModuleBuilder::EndFunction(std::vector<ValueId> results) {
  open_.back().function.results = std::move(results);
  module_.functions.push_back(std::move(open_.back().function));
  open_.pop_back();
  return static_cast<int64_t>(module_.functions.size());
}

ValueId ModuleBuilder::Constant(const Tensor& tensor) {
  const Storage narrowest = NarrowestStorage(tensor.view().Bounds());
  module_.constants.push_back(constants_.emplace_back(Tensor::Copy(tensor.view(), narrowest)).view());
  return YieldLastConstant();
}

ValueId ModuleBuilder::Borrow(const TensorView& view) {
  module_.constants.push_back(view);
  return YieldLastConstant();
}

absl::StatusOr<ValueId> ModuleBuilder::Constant(const Recipe& recipe) {
  RETURN_IF_ERROR(CheckRecipe(recipe));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create({recipe.count}));
  ASSIGN_OR_RETURN(const Tensor entries, ExpandToTensor(recipe, shape));
  return Constant(recipe, entries);
}

ValueId ModuleBuilder::Constant(const Recipe& recipe, const Tensor& entries) {
  for (const RecipeConstant& r : module_.recipes) {
    if (r.recipe == recipe && module_.constants[r.constant].shape == entries.shape())
      return YieldConstant(r.constant);
  }
  const ValueId value = Constant(entries);
  const int64_t count = entries.shape().num_elements();
  if (recipe_entries_ + count <= kMaxRecipeEntriesOfModule) {
    const size_t index = module_.constants.size() - 1;
    recipe_entries_ += count;
    module_.recipes.push_back(
        {static_cast<uint32_t>(index), recipe, Sha256Hash(module_.constants[index].bytes)});
  }
  return value;
}

ValueId ModuleBuilder::YieldConstant(size_t index) {
  return Op(Opcode::kConstant, {}, ConstantAttrs{.index = static_cast<int64_t>(index)});
}

ValueId ModuleBuilder::Emit(Opcode op, std::vector<ValueId> operands, Attributes attributes) {
  OpenFunction& open = open_.back();
  const OpInfo& info = InfoOf(op);
  int results = info.results;
  ForEachFunction(info.attributes, attributes, [&](int64_t function) {
    if (results == kResultsOfFunction)
      results = static_cast<int>(module_.functions[function - 1].results.size());
  });
  open.function.body.push_back({op, std::move(operands), std::move(attributes)});
  const ValueId first = open.next_value;
  open.next_value += static_cast<ValueId>(results);
  return first;
}

std::vector<ValueId> ModuleBuilder::Append(const Composition& c, std::span<const ValueId> inputs,
                                           std::span<const Value> results) {
  std::vector<std::optional<ValueId>> ids(c.num_values());
  for (size_t i = 0; i < inputs.size(); ++i) ids[c.inputs()[i].id] = inputs[i];
  const auto id_of = [&](Value value) {
    std::optional<ValueId>& id = ids[value.id];
    if (!id && c.is_borrowed(value)) id = Borrow(*c.constant(value));
    if (!id) {
      const Tensor entries = Tensor::Copy(*c.constant(value), c.constant(value)->storage);
      id = c.recipe(value) != nullptr ? Constant(*c.recipe(value), entries) : Constant(entries);
    }
    return *id;
  };
  for (const Composition::Step& step : c.steps()) {
    std::vector<ValueId> operands;
    for (const Value operand : step.operands) operands.push_back(id_of(operand));
    const ValueId first = Emit(step.op, std::move(operands), step.attributes);
    for (int r = 0; r < step.num_results; ++r) ids[step.first_result.id + r] = first + r;
  }
  std::vector<ValueId> values;
  for (const Value result : results) values.push_back(id_of(result));
  return values;
}

void ModuleBuilder::Result(std::string name, ValueId value, std::optional<Quantization> quantization) {
  open_[0].function.results.push_back(value);
  module_.metadata.results.push_back({std::move(name), quantization});
}

Module ModuleBuilder::Build() && {
  // The last function that ended becomes function 1: a function names only what ended before it began to be
  // named.
  module_.functions.push_back(std::move(open_[0].function));
  std::reverse(module_.functions.begin(), module_.functions.end());
  const auto count = static_cast<int64_t>(module_.functions.size());
  for (Function& function : module_.functions) {
    for (Instruction& instruction : function.body) {
      ForEachFunction(InfoOf(instruction.op).attributes, instruction.attributes,
                      [&](int64_t& number) { number = count - number; });
    }
  }
  module_.backing = std::make_shared<const std::deque<Tensor>>(std::move(constants_));
  return std::move(module_);
}

}  // namespace tally
