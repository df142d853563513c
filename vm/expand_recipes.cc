#include "vm/expand_recipes.h"

#include <deque>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "vm/limits.h"

namespace tally {
namespace {

absl::StatusOr<Tensor> ExpandChecked(const RecipeConstant& r, const TensorView& constant) {
  RETURN_IF_ERROR(CheckRecipe(r.recipe));
  if (r.recipe.count != constant.shape.num_elements()) {
    return MakeError("constant_size", absl::StrCat("a recipe of ", r.recipe.count, " entries for ",
                                                   constant.shape.ToString()));
  }
  ASSIGN_OR_RETURN(Tensor tensor, ExpandToTensor(r.recipe, constant.shape));
  if (tensor.storage() != constant.storage) {
    return MakeError("constant_storage",
                     absl::StrCat("the entries belong into ", ToAbsl(StorageName(tensor.storage())), ", not ",
                                  ToAbsl(StorageName(constant.storage))));
  }
  if (const Digest digest = Sha256Hash(tensor.bytes()); digest != r.sha256) {
    return MakeError("recipe_digest", absl::StrCat("the entries have the SHA-256 ", ToHex(digest)));
  }
  return tensor;
}

}  // namespace

absl::Status ExpandRecipes(Module& module) {
  if (module.recipes.empty()) return absl::OkStatus();
  int64_t entries = 0, next = 0;
  for (const RecipeConstant& r : module.recipes) {
    if (r.constant < next || r.constant >= module.constants.size()) {
      return MakeError("recipe_fields",
                       absl::StrCat("a recipe for constant ", r.constant, " does not belong here"));
    }
    next = int64_t{r.constant} + 1;
    entries += module.constants[r.constant].shape.num_elements();
    if (entries > kMaxRecipeEntriesOfModule) {
      return MakeError("recipe_entries_limit",
                       absl::StrCat("recipes of more than ", kMaxRecipeEntriesOfModule, " entries"));
    }
  }
  struct Owner {
    std::deque<Tensor> tensors;  // addresses stay
    std::shared_ptr<const void> bytes;
  };
  auto owner = std::make_shared<Owner>();
  for (const RecipeConstant& r : module.recipes) {
    TensorView& constant = module.constants[r.constant];
    auto tensor = ExpandChecked(r, constant);
    if (!tensor.ok()) {
      return MakeError(ErrorLabel(tensor.status()),
                       absl::StrCat("constant ", r.constant, ": ", tensor.status().message()));
    }
    constant = owner->tensors.emplace_back(*std::move(tensor)).view();
  }
  owner->bytes = std::move(module.backing);
  module.backing = std::move(owner);
  return absl::OkStatus();
}

}  // namespace tally
