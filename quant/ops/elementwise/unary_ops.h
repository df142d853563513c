// Functions of one value: each element becomes an entry of a table.
#pragma once

#include "ops/table/recipe/recipe.h"
#include "quant/ops/op_traits.h"

namespace tally::quant {

// x -> f(x), of the functions that tables have recipes for (docs/spec/recipes.md); f takes as many of alpha
// and beta as it has, the others are 0. Where f is undefined or infinite, so is the result.
//
//   Unary{RecipeFunction::kSigmoid}, Unary{RecipeFunction::kPower, 2}, Unary{RecipeFunction::kHardSigmoid, 1.0f / 6, 0.5f}
struct Unary {
  static constexpr OpTraits kTraits = {.name = "Unary", .folds = true, .rounds = true};
  RecipeFunction function;
  float alpha = 0;
  float beta = 0;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  // True for functions that jump, or are steep next to where they are flat.
  bool ReadsWide(size_t operand) const;
  // The bounds of its result, whatever it reads: [0, 1] for a sigmoid.
  Bounds ResultBounds() const;
  // Roots, falling powers and logarithms, which may read more than 16 bits (lower_long.h).
  bool ReadsLong() const;
  bool operator==(const Unary&) const = default;
};

// x -> below * x for x < 0, else above * x: a leaky ReLU, |x|, -x.
struct Slopes {
  static constexpr OpTraits kTraits = {.name = "Slopes", .folds = true, .rounds = true};
  float below;
  float above;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool operator==(const Slopes&) const = default;
};

}  // namespace tally::quant
