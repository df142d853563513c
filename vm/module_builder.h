// Writes a module instruction by instruction: for producers, tests and generators.
//
//   ModuleBuilder b(Profile::kCore);
//   const ValueId x = b.Param("image", {shape, {0, 16}});
//   const ValueId w = b.Constant(std::move(weights));
//   const ValueId y = b.Op(Opcode::kConv2d, {x, w}, Conv2dAttrs{.padding = {1, 1}});
//   b.Result("logits", y);
//   ASSIGN_OR_RETURN(const ValidModule module, Validate(std::move(b).Build()));
//
// A function is written where it is needed, before the instruction that names it:
//
//   const std::vector<ValueId> p = b.BeginFunction({type});
//   const int64_t twice = b.EndFunction({b.Op(Opcode::kBroadcastAdd, {p[0], p[0]})});
//   const ValueId z = b.Op(Opcode::kCall, {y}, CallAttrs{.function = twice});
#pragma once

#include <deque>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ops/composition.h"
#include "vm/module.h"

namespace tally {

class ModuleBuilder {
 public:
  explicit ModuleBuilder(Profile profile) : open_(1) { module_.profile = profile; }

  // A parameter of the entry. All come before the first instruction.
  ValueId Param(std::string name, const TensorType& type, std::optional<Quantization> quantization = {});

  // Until EndFunction, instructions belong to a new function with these parameters. Returns the ids of the
  // parameters. Functions may begin inside functions.
  std::vector<ValueId> BeginFunction(std::vector<TensorType> params);

  // The number by which attributes name the function, in this builder: Build puts callers first.
  int64_t EndFunction(std::vector<ValueId> results);

  // A constant in the narrowest storage of its values, and the instruction that yields it.
  ValueId Constant(const Tensor& tensor);

  // The same for bytes in the narrowest storage, which stay where they are for as long as the module.
  ValueId Borrow(const TensorView& view);

  // The constant of `recipe.count` elements that `recipe` describes, carried once as the recipe, however
  // often it is requested, and as bytes where a module may have no more entries of recipes. Errors: those of
  // Expand.
  absl::StatusOr<ValueId> Constant(const Recipe& recipe);

  // The same where the elements are known already: `entries` holds what `recipe` expands to, in any shape.
  ValueId Constant(const Recipe& recipe, const Tensor& entries);

  // The first result; an operator with several results numbers them consecutively.
  ValueId Emit(Opcode op, std::vector<ValueId> operands, Attributes attributes);
  template <typename Attrs = NoAttrs>
  ValueId Op(Opcode op, std::vector<ValueId> operands, const Attrs& attrs = {}) {
    return Emit(op, std::move(operands), Pack(attrs));
  }

  // Appends the instructions of `c`, whose inputs in order of writing are `inputs`. Returns the module's
  // values of `results`. Constants that nothing reads are left out, and borrowed ones stay borrowed.
  std::vector<ValueId> Append(const Composition& c, std::span<const ValueId> inputs,
                              std::span<const Value> results);

  // A result of the entry.
  void Result(std::string name, ValueId value, std::optional<Quantization> quantization = {});

  Module Build() &&;

 private:
  struct OpenFunction {
    Function function;
    ValueId next_value = 0;
  };

  // The value of the last constant.
  ValueId YieldLastConstant() { return YieldConstant(module_.constants.size() - 1); }
  ValueId YieldConstant(size_t index);

  Module module_;                   // its functions are those that ended, function k at k - 1
  std::vector<OpenFunction> open_;  // the entry first
  std::deque<Tensor> constants_;    // those that are not borrowed; addresses stay
  int64_t recipe_entries_ = 0;
};

}  // namespace tally
