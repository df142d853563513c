#include "proof/certificate/recipe_tables.h"

#include "ops/table/recipe/recipe.h"
#include "serializer/recipe_entry.h"

namespace tally {

std::vector<uint8_t> RecipeTables(const Certificate& certificate) {
  std::vector<uint8_t> tables;
  for (const auto& [constant, bytes] : certificate.recipes) {
    const auto entry = DecodeRecipeEntry(bytes);
    if (!entry.ok()) continue;
    const auto table = ExpandToTensor(entry->recipe, entry->shape);
    if (!table.ok()) continue;
    const auto of_table = table->view().bytes;
    tables.insert(tables.end(), of_table.begin(), of_table.end());
  }
  return tables;
}

}  // namespace tally
