#include "vm/expand_recipes.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/hash/sha256.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/labels.h"
#include "vm/labels.h"
#include "vm/limits.h"

namespace tally {
namespace {

// The entries of every recipe of a module; those of equal recipes once.
class Expansions {
 public:
  // As a view of `shape`, if it is one of r.recipe.count elements.
  absl::StatusOr<TensorView> Expand(const Recipe& recipe, const Shape& shape) {
    const auto [entry, added] = tensors_.try_emplace(KeyOf(recipe), Shape(), Storage::kI8);
    if (added) {
      ASSIGN_OR_RETURN(entry->second, ExpandToTensor(recipe, shape));
    }
    const TensorView entries = entry->second.view();
    return TensorView{entries.storage, shape, entries.bytes};
  }

 private:
  using Key = std::array<int64_t, 2 + std::tuple_size_v<decltype(RecipeFields(std::declval<Recipe&>()))>>;

  static Key KeyOf(const Recipe& recipe) {
    Key key = {static_cast<int64_t>(recipe.function), recipe.count};
    std::ranges::transform(RecipeFields(recipe), key.begin() + 2,
                           [](const int64_t* field) { return *field; });
    return key;
  }

  std::map<Key, Tensor> tensors_;  // addresses stay
};

absl::StatusOr<TensorView> ExpandChecked(const RecipeConstant& r, const TensorView& constant,
                                         Expansions& expansions) {
  RETURN_IF_ERROR(CheckRecipe(r.recipe));
  if (r.recipe.count != constant.shape.num_elements()) {
    return MakeError(label::constant_size, absl::StrCat("a recipe of ", r.recipe.count, " entries for ",
                                                        constant.shape.ToString()));
  }
  ASSIGN_OR_RETURN(const TensorView entries, expansions.Expand(r.recipe, constant.shape));
  if (entries.storage != constant.storage) {
    return MakeError(label::constant_storage,
                     absl::StrCat("the entries belong into ", ToAbsl(StorageName(entries.storage)), ", not ",
                                  ToAbsl(StorageName(constant.storage))));
  }
  if (const Digest digest = Sha256Hash(entries.bytes); digest != r.sha256) {
    return MakeError(label::recipe_digest, absl::StrCat("the entries have the SHA-256 ", ToHex(digest)));
  }
  return entries;
}

}  // namespace

absl::Status ExpandRecipes(Module& module) {
  if (module.recipes.empty()) return absl::OkStatus();
  int64_t entries = 0, next = 0;
  for (const RecipeConstant& r : module.recipes) {
    if (r.constant < next || r.constant >= module.constants.size()) {
      return MakeError(label::recipe_fields,
                       absl::StrCat("a recipe for constant ", r.constant, " does not belong here"));
    }
    next = int64_t{r.constant} + 1;
    entries += module.constants[r.constant].shape.num_elements();
    if (entries > kMaxRecipeEntriesOfModule) {
      return MakeError(label::recipe_entries_limit,
                       absl::StrCat("recipes of more than ", kMaxRecipeEntriesOfModule, " entries"));
    }
  }
  struct Owner {
    Expansions expansions;
    std::shared_ptr<const void> bytes;
  };
  auto owner = std::make_shared<Owner>();
  for (const RecipeConstant& r : module.recipes) {
    TensorView& constant = module.constants[r.constant];
    const auto entries = ExpandChecked(r, constant, owner->expansions);
    if (!entries.ok()) {
      return WithMessage(entries.status(),
                         absl::StrCat("constant ", r.constant, ": ", entries.status().message()));
    }
    constant = *entries;
  }
  owner->bytes = std::move(module.backing);
  module.backing = std::move(owner);
  return absl::OkStatus();
}

}  // namespace tally
