// A constant that is given by its recipe, as the directory of a module has it: what its digest is of
// (docs/spec/commitment.md#modules).
//
//   const std::vector<uint8_t> bytes = EncodeRecipeEntry(module, constant);
//   ASSIGN_OR_RETURN(const RecipeEntry entry, DecodeRecipeEntry(bytes));
//   ASSIGN_OR_RETURN(const int64_t element, entry.Element(7));
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "vm/module.h"

namespace tally {

struct RecipeEntry {
  Storage storage = Storage::kI8;
  Shape shape;
  Recipe recipe;

  // An element by its row-major number, computed alone. Errors: those of Expand (ops/table/recipe/recipe.h).
  absl::StatusOr<int64_t> Element(int64_t element) const;
};

// The module has a recipe for the constant.
std::vector<uint8_t> EncodeRecipeEntry(const Module& module, size_t constant);

// Errors: those of Decode for the directory of constants; recipe_fields, where the entry has no recipe.
absl::StatusOr<RecipeEntry> DecodeRecipeEntry(std::span<const uint8_t> bytes);

// SHA256(1c || entry)
Digest RecipeEntryDigest(std::span<const uint8_t> entry);

}  // namespace tally
