#include "fuzz/generators/module_draft.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/hash/sha256.h"
#include "ops/control/attrs.h"
#include "ops/op_rules.h"
#include "vm/limits.h"
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
  const auto index = static_cast<int32_t>(constants_.size()) - 1;
  body_.push_back({Opcode::kConstant, {}, Pack(ConstantAttrs{.index = index})});
  gas_ += kGasPerInstruction;
  values_.push_back({.type = {tensor.shape(), bounds},
                     .precision = PrecisionOf(bounds.Magnitude()),
                     .constant = index,
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
  const auto valid = Validate(module);
  for (size_t f = module.functions.size(); f-- > 0;) {
    DraftFunction& added = functions_.emplace_back(DraftFunction{.function = module.functions[f]});
    if (valid.ok()) {
      const FunctionFacts& facts = valid->functions()[f];
      added.results = facts.results;
      added.gas = facts.gas;
      added.arena_bytes = facts.arena_bytes;
    }
    for (Instruction& instruction : added.function.body) {
      if (instruction.op == Opcode::kConstant) instruction.attributes[0][0] += first_constant;
      ForEachFunction(InfoOf(instruction.op).attributes, instruction.attributes,
                      [&](int64_t& number) { number = last - number; });
    }
  }
  return last;
}

// Other bounds of profile cvm on shapes are beyond what a draft may have.
bool ModuleDraft::HasShapeOfProfile(const TensorType& type) const {
  return profile_ == Profile::kCore || (type.shape.rank() > 0 && type.shape.rank() <= kCvmMaxRank);
}

std::optional<ModuleDraft::Proven> ModuleDraft::Prove(Opcode op, const std::vector<DraftId>& operands,
                                                      const Attributes& attributes) const {
  const OpInfo& info = InfoOf(op);
  const auto count = static_cast<int>(operands.size());
  if (profile_ == Profile::kCvm && info.profile != Profile::kCvm) return std::nullopt;
  if (count < info.min_operands || count > info.max_operands) return std::nullopt;
  if (!CheckAttributes(info.attributes, attributes).ok()) return std::nullopt;

  std::vector<FunctionSignature> signatures;
  bool known = true;
  ForEachFunction(info.attributes, attributes, [&](int64_t number) {
    known &= number >= 1 && number <= num_functions() && !result_types(number).empty();
  });
  if (!known) return std::nullopt;
  if (info.results == kResultsOfFunction) {
    signatures.emplace_back();
    for (const DraftFunction& f : functions_)
      signatures.push_back({f.function.params, f.results, f.gas, f.arena_bytes});
  }
  std::vector<TensorView> views;
  std::vector<Interval> bounds;
  if (op == Opcode::kConstant) {
    for (const Tensor& constant : constants_) {
      views.push_back(constant.view());
      bounds.push_back(views.back().Bounds());
    }
  }

  std::vector<TensorType> types;
  std::vector<int> precisions;
  std::vector<TensorView> constants(operands.size());
  std::vector<const TensorView*> constant_operands;
  for (size_t i = 0; i < operands.size(); ++i) {
    const DraftValue& value = values_[operands[i]];
    if (!HasShapeOfProfile(value.type)) return std::nullopt;
    if (value.param && !TensorLimit(profile_).Contains(value.type.interval)) return std::nullopt;
    types.push_back(value.type);
    precisions.push_back(value.precision);
    if (value.constant >= 0) constants[i] = constants_[value.constant].view();
    constant_operands.push_back(value.constant >= 0 ? &constants[i] : nullptr);
  }
  const OpRules& rules = RulesOf(op);
  const InferContext context = {profile_,          &attributes, types,  precisions,
                                constant_operands, views,       bounds, signatures};
  Inferred inferred;
  if (!rules.infer(context, &inferred).ok()) return std::nullopt;
  Proven proven = {.precisions = std::vector<int>(inferred.results.size(), kCvmMaxPrecision)};
  if (profile_ == Profile::kCvm) proven.precisions = rules.precision({&context, inferred.results});
  const WideGas gas =
      SatAdd(kGasPerInstruction, rules.gas({&attributes, types, inferred.results, signatures}));
  if (gas > limits_.max_gas - gas_) return std::nullopt;
  proven.gas = static_cast<int64_t>(gas);
  proven.types = std::move(inferred.results);
  return proven;
}

bool ModuleDraft::TryEmit(Opcode op, const std::vector<DraftId>& operands, const Attributes& attributes) {
  const auto proven = Prove(op, operands, attributes);
  if (!proven) return false;
  for (size_t r = 0; r < proven->types.size(); ++r) {
    if (proven->types[r].shape.num_elements() > limits_.max_elements) return false;
    if (!HasShapeOfProfile(proven->types[r]) || proven->precisions[r] > kCvmMaxPrecision) return false;
  }
  const auto constant = static_cast<int32_t>(op == Opcode::kConstant ? attributes[0][0] : -1);
  for (size_t r = 0; r < proven->types.size(); ++r) {
    values_.push_back({.type = proven->types[r],
                       .precision = proven->precisions[r],
                       .constant = constant,
                       .position = static_cast<ValueId>(values_.size() - params_.size())});
  }
  body_.push_back({op, {operands.begin(), operands.end()}, attributes});
  gas_ += proven->gas;
  for (const DraftId id : operands) ++values_[id].uses;
  return true;
}

void ModuleDraft::Rollback(const Mark& mark) {
  for (size_t step = mark.body; step < body_.size(); ++step) {
    for (const ValueId id : body_[step].operands) --values_[id].uses;
  }
  params_.resize(mark.params);
  constants_.resize(mark.constants);
  recipes_.resize(mark.recipes);
  functions_.resize(mark.functions);
  body_.resize(mark.body);
  values_.resize(mark.values);
  gas_ = mark.gas;
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
  for (auto f = functions_.rbegin(); f != functions_.rend(); ++f) module.functions.push_back(f->function);
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
