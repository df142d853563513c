// Constants of the text form: `i8 [2,3] {1, -2, 3, 4, 5, 6}`, `i8 [64,64] hex {0a0b...}` or
// `i8 [256] recipe exp {...} "9f86..."`.
#pragma once

#include <deque>
#include <vector>

#include "absl/status/status.h"
#include "base/tensor.h"
#include "vm/text/token_reader.h"

namespace tally {

// Error text_shape.
absl::StatusOr<Shape> TakeShape(TokenReader& reader);

// The constants of the text so far.
struct AssembledConstants {
  std::vector<TensorView> views;
  std::vector<RecipeConstant> recipes;
  std::deque<Tensor> tensors;  // own the bytes of those without a recipe; addresses stay
};

// Appends the constant. Nothing is allocated for a shape whose elements cannot all follow in the text.
// Errors: text_limit, text_storage, text_shape, text_element_count, text_number, text_hex, text_recipe.
absl::Status AssembleConstant(TokenReader& reader, AssembledConstants& constants);

}  // namespace tally
