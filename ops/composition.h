// Instructions that together compute what one name means, each typed as it is written.
//
//   Composition c(Profile::kCore);
//   const Value x = c.Input(type);
//   ASSIGN_OR_RETURN(const Value d, c.Apply(Opcode::kBroadcastSub, {x, c.Constant({}, {3})}));
//   ASSIGN_OR_RETURN(const Value y, c.Apply(Opcode::kReshape, {d}, ReshapeAttrs{.shape = {4, 2}}));
//   c.type(y);  // as the validator will infer it
//
// A lowering (ops/lowerings.h) writes into a composition; vm/module_builder.h makes a module of one.
#pragma once

#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "ops/attributes.h"
#include "ops/function_signature.h"
#include "ops/op_table.h"
#include "ops/table/recipe/recipe.h"
#include "ops/tensor_type.h"

namespace tally {

// A value of one composition: an input, a constant or a result.
struct Value {
  int id = 0;

  friend bool operator==(const Value&, const Value&) = default;
};

class Composition {
 public:
  struct Step {
    Opcode op;
    std::vector<Value> operands;
    Attributes attributes;
    Value first_result;  // results are numbered consecutively
    int num_results = 1;
  };

  // `functions` are those that instructions may name, by number (0 is unused); they must outlive the
  // composition.
  explicit Composition(Profile profile, std::span<const FunctionSignature> functions = {})
      : profile_(profile), functions_(functions) {}
  Composition(const Composition&) = delete;  // constants are referred to by address
  Composition& operator=(const Composition&) = delete;

  Value Input(const TensorType& type);

  // A constant in the narrowest storage of its values. The second form aborts when the values do not fit the
  // dims.
  Value Constant(const Tensor& tensor);
  Value Constant(std::initializer_list<int64_t> dims, std::span<const int64_t> values);
  Value Constant(std::initializer_list<int64_t> dims, std::initializer_list<int64_t> values) {
    return Constant(dims, std::span<const int64_t>(values.begin(), values.size()));
  }

  // A constant that stays where it is: in the narrowest storage of its values, for as long as the composition
  // and everything that is made of it.
  Value Borrow(const TensorView& view);

  // The constant of `recipe.count` elements that `recipe` describes. Errors: those of Expand.
  absl::StatusOr<Value> Constant(const Recipe& recipe);

  // The same where the elements are known already: `entries` holds what `recipe` expands to, in any shape.
  Value Constant(const Recipe& recipe, const Tensor& entries);

  // Writes an instruction. Errors: what validation would refuse it with (operand count, attributes, named
  // functions, type rule).
  absl::StatusOr<std::vector<Value>> Emit(Opcode op, std::vector<Value> operands, Attributes attributes);

  // The one result of an operator that has one.
  template <typename Attrs = NoAttrs>
  absl::StatusOr<Value> Apply(Opcode op, std::vector<Value> operands, const Attrs& attrs = {}) {
    auto results = Emit(op, std::move(operands), Pack(attrs));
    if (!results.ok()) return results.status();
    return results->front();
  }

  Profile profile() const { return profile_; }
  const TensorType& type(Value value) const { return values_[value.id].type; }
  const Shape& shape(Value value) const { return type(value).shape; }
  const Interval& interval(Value value) const { return type(value).interval; }

  // The elements of a constant, or null.
  const TensorView* constant(Value value) const {
    return values_[value.id].is_constant ? &values_[value.id].view : nullptr;
  }

  bool is_borrowed(Value value) const { return values_[value.id].is_borrowed; }

  // The recipe that a constant was given by, or null.
  const Recipe* recipe(Value value) const {
    const auto& recipe = values_[value.id].recipe;
    return recipe ? &*recipe : nullptr;
  }

  // Each in order of writing; constants are neither.
  std::span<const Value> inputs() const { return inputs_; }
  std::span<const Step> steps() const { return steps_; }
  int num_values() const { return static_cast<int>(values_.size()); }

 private:
  struct ValueFacts {
    TensorType type;
    bool is_constant = false;
    bool is_borrowed = false;
    Tensor tensor;    // for a constant that is not borrowed
    TensorView view;  // a constant's
    std::optional<Recipe> recipe;
  };

  Value Define(const TensorType& type);

  Profile profile_;
  std::span<const FunctionSignature> functions_;
  std::vector<Value> inputs_;
  std::deque<ValueFacts> values_;  // addresses stay
  std::vector<Step> steps_;
};

}  // namespace tally
