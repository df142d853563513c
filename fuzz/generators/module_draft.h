// A module under construction that knows the types of its values and takes only instructions that validate.
//
//   ModuleDraft draft(Profile::kCore);
//   const DraftId x = draft.AddParam({shape, {-8, 8}});
//   if (draft.TryEmit(Opcode::kAbs, {x}, {})) draft.type(draft.size() - 1).interval;  // [0, 8]
//   Module module = draft.Build({x});
//
// Values keep their ids when parameters are added late; Build numbers them as modules do.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "vm/module.h"

namespace tally {

using DraftId = int;

struct DraftLimits {
  int64_t max_elements = 512;  // per result
  int64_t max_gas = 5 << 19;   // the module's: bounds how long the slowest engine runs
  int max_depth = 2;           // for functions inside one another, beyond the entry
};

class ModuleDraft {
 public:
  explicit ModuleDraft(Profile profile, const DraftLimits& limits = {})
      : profile_(profile), limits_(limits) {}

  DraftId AddParam(const TensorType& type);

  // From now on generators add constants instead of parameters.
  void CloseParams() { accepts_params_ = false; }
  bool accepts_params() const { return accepts_params_; }

  // Takes over the functions of `module`, which is built by another draft. Returns the number by which
  // attributes name what was its entry; nothing may name it where `module` does not validate.
  int64_t AddFunctions(const Module& module);
  int64_t num_functions() const { return static_cast<int64_t>(functions_.size()); }
  const Function& function(int64_t number) const { return functions_[number - 1].function; }
  // The types of its results; none where nothing may name the function.
  std::span<const TensorType> result_types(int64_t number) const { return functions_[number - 1].results; }

  // A constant and the instruction that yields it.
  DraftId AddConstant(Tensor tensor);

  // A list that the module carries as its recipe; nothing when the recipe cannot be expanded.
  std::optional<DraftId> AddConstant(const Recipe& recipe);

  // Appends the instruction's results; or leaves the draft as it was and returns false, when the validator
  // would refuse the instruction or the module outgrows the limits.
  bool TryEmit(Opcode op, const std::vector<DraftId>& operands, const Attributes& attributes);

  Profile profile() const { return profile_; }
  const DraftLimits& limits() const { return limits_; }
  int size() const { return static_cast<int>(values_.size()); }
  int num_constants() const { return static_cast<int>(constants_.size()); }
  int num_instructions() const { return static_cast<int>(body_.size()); }
  const TensorType& type(DraftId id) const { return values_[id].type; }
  int precision(DraftId id) const { return values_[id].precision; }  // published, in profile cvm
  bool is_constant(DraftId id) const { return values_[id].constant >= 0; }
  bool is_used(DraftId id) const { return values_[id].uses > 0; }

  // Forgets what was added after a point: the operands of an instruction that was refused.
  struct Mark {
    size_t params, constants, recipes, functions, body, values;
    int64_t gas;
  };
  Mark mark() const {
    return {params_.size(),
            constants_.size(),
            recipes_.size(),
            functions_.size(),
            body_.size(),
            values_.size(),
            gas_};
  }
  void Rollback(const Mark& mark);

  // With DefaultMetadata.
  Module Build(const std::vector<DraftId>& results) const;

 private:
  struct DraftValue {
    TensorType type;
    int precision = 1;
    bool param = false;
    int uses = 0;
    int32_t constant = -1;  // its index
    ValueId position = 0;   // among the parameters, or among the results of instructions
  };
  struct DraftFunction {
    Function function;
    std::vector<TensorType> results;
    int64_t gas = 0;
    int64_t arena_bytes = 0;
  };
  struct Proven {
    std::vector<TensorType> types;  // for the results
    std::vector<int> precisions;
    int64_t gas = 0;
  };

  // The types that the row's rules prove of an instruction, or nothing if they refuse it.
  std::optional<Proven> Prove(Opcode op, const std::vector<DraftId>& operands,
                              const Attributes& attributes) const;
  bool HasShapeOfProfile(const TensorType& type) const;
  ValueId NumberOf(DraftId id) const;

  Profile profile_;
  DraftLimits limits_;
  bool accepts_params_ = true;
  std::vector<TensorType> params_;
  std::vector<Tensor> constants_;
  std::vector<RecipeConstant> recipes_;
  std::vector<DraftFunction> functions_;  // function k at k - 1; each names only those in front of it
  std::vector<Instruction> body_;         // operands are draft ids
  std::deque<DraftValue> values_;         // generators hold a type while they add values
  int64_t gas_ = 0;
};

}  // namespace tally
