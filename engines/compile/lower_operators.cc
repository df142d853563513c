#include "engines/compile/lower_operators.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/int_math.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/control/attrs.h"
#include "ops/lowerings.h"
#include "vm/labels.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

// Functions keep their number and their types, so the signatures of `module` hold for what is written. The
// builder numbers them in the order of writing, which is from the last to the first: function f is its
// function count - f.
class OperatorLowering {
 public:
  explicit OperatorLowering(const ValidModule& module)
      : module_(module), count_(static_cast<int64_t>(module.functions().size())), builder_(Profile::kCore) {
    signatures_.emplace_back();
    for (int64_t f = count_ - 1; f > 0; --f) signatures_.push_back(module.functions()[f].signature());
    places_.resize(static_cast<size_t>(count_));
  }

  absl::StatusOr<LoweredModule> Run() && {
    for (int64_t f = count_ - 1; f > 0; --f) {
      const std::vector<ValueId> params = builder_.BeginFunction(module_.module().functions[f].params);
      ASSIGN_OR_RETURN(std::vector<ValueId> results, LowerBody(f, params));
      builder_.EndFunction(std::move(results));
    }
    RETURN_IF_ERROR(LowerEntry());
    Module lowered = std::move(builder_).Build();
    using Owners = std::array<std::shared_ptr<const void>, 2>;
    lowered.backing =
        std::make_shared<const Owners>(Owners{std::move(lowered.backing), module_.module().backing});
    return LoweredModule{std::move(lowered), std::move(places_)};
  }

 private:
  absl::Status LowerEntry() {
    const Metadata& metadata = module_.module().metadata;
    std::vector<ValueId> params;
    for (const TensorType& type : module_.entry().params) {
      const ValueInfo& info = metadata.params[params.size()];
      params.push_back(builder_.Param(info.name, type, info.quantization));
    }
    ASSIGN_OR_RETURN(const std::vector<ValueId> ids, LowerBody(0, params));
    for (size_t i = 0; i < ids.size(); ++i) {
      builder_.Result(metadata.results[i].name, ids[i], metadata.results[i].quantization);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<ValueId>> LowerBody(int64_t f, std::span<const ValueId> params) {
    const Function& function = module_.module().functions[f];
    Composition c(Profile::kCore, signatures_);
    std::vector<Value> values;  // by value id of the function
    for (const TensorType& type : function.params) values.push_back(c.Input(type));
    for (const Instruction& instruction : function.body) {
      if (const TensorView* constant = module_.constant(f, static_cast<ValueId>(values.size()))) {
        values.push_back(Constant(c, instruction, *constant));
        continue;
      }
      std::vector<Value> operands;
      for (const ValueId id : instruction.operands) operands.push_back(values[id]);
      const OpInfo& info = InfoOf(instruction.op);
      Attributes attributes = instruction.attributes;
      ForEachFunction(info.attributes, attributes, [&](int64_t& number) { number = count_ - number; });
      const LoweringInfo* lowering = FindLowering(info.name);
      ASSIGN_OR_RETURN(const std::vector<Value> results, lowering != nullptr
                                                             ? lowering->lower(c, operands, attributes)
                                                             : c.Emit(instruction.op, operands, attributes));
      values.insert(values.end(), results.begin(), results.end());
    }
    std::vector<Value> results;
    for (const ValueId id : function.results) results.push_back(values[id]);
    const size_t num_results = results.size();
    const auto is_constant = [&](size_t id) {
      return module_.constant(f, static_cast<ValueId>(id)) != nullptr;
    };
    for (size_t id = 0; id < values.size(); ++id) {
      if (!is_constant(id)) results.push_back(values[id]);
    }
    std::vector<ValueId> ids = builder_.Append(c, params, results);
    auto place = ids.begin() + static_cast<ptrdiff_t>(num_results);
    for (size_t id = 0; id < values.size(); ++id) {
      places_[f].push_back(is_constant(id) ? std::nullopt : std::optional(*place++));
    }
    ids.resize(num_results);
    return ids;
  }

  // In place, but a recipe stays one. Validation has expanded it.
  Value Constant(Composition& c, const Instruction& instruction, const TensorView& view) {
    const auto index = static_cast<size_t>(Unpack<ConstantAttrs>(instruction.attributes).index);
    const RecipeConstant* known = module_.module().recipe(index);
    return known != nullptr ? c.Constant(known->recipe, Tensor::Copy(view, view.storage)) : c.Borrow(view);
  }

  const ValidModule& module_;
  int64_t count_;
  std::vector<FunctionSignature> signatures_;  // by the builder's numbers
  std::vector<std::vector<std::optional<ValueId>>> places_;
  ModuleBuilder builder_;
};

// Lowered operators have values of their own, wider ones too: a few times as much in networks. More would
// leave what engines may need (engines/shared/engine_memory.h); and small tensors may have it all the same.
Int128 MostArenaBytes(const ValidModule& module) { return 4 * Int128{module.arena_bytes()} + (1 << 20); }

// A valid module may be so large that the lowered one exceeds a limit of modules. Nothing else may go wrong.
absl::Status WhyNotLowered(const absl::Status& status) {
  for (const Label limit :
       {label::shape_rank, label::shape_dim, label::shape_elements, label::value_count,
        label::constant_reads_limit, label::recipe_entries_limit, label::gas_limit_of_module,
        label::live_pairs_limit, label::memory_limit_of_module}) {
    if (HasLabel(status, limit)) return status;
  }
  return MakeError(label::lowering_failed,
                   absl::StrCat("an operator runs on its reference: ", status.message()));
}

}  // namespace

absl::StatusOr<LoweredModule> LowerOperators(const ValidModule& module) {
  return OperatorLowering(module).Run();
}

ModuleForKernels LowerForKernels(std::shared_ptr<const ValidModule> module) {
  bool lowers = false;
  for (const Function& function : module->module().functions) {
    for (const Instruction& instruction : function.body) {
      lowers |= FindLowering(InfoOf(instruction.op).name) != nullptr;
    }
  }
  if (!lowers) return {.module = std::move(module)};
  auto lowered = LowerOperators(*module);
  return UseLowered(std::move(module), std::move(lowered));
}

ModuleForKernels UseLowered(std::shared_ptr<const ValidModule> module,
                            absl::StatusOr<LoweredModule> lowered) {
  auto valid =
      lowered.ok() ? Validate(std::move(lowered->module)) : absl::StatusOr<ValidModule>(lowered.status());
  if (!valid.ok()) return {std::move(module), {}, WhyNotLowered(valid.status())};
  if (const int64_t bytes = valid->arena_bytes(); bytes > MostArenaBytes(*module)) {
    return {std::move(module),
            {},
            MakeError(label::memory_limit_of_module,
                      absl::StrCat("lowered, its arena would have ", bytes, " bytes"))};
  }
  return {std::make_shared<const ValidModule>(*std::move(valid)), std::move(lowered->places), {}};
}

}  // namespace tally
