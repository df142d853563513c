#include "vm/module.h"

#include <algorithm>

namespace tally {
namespace {

// The bytes of a constant with a recipe say nothing that the recipe does not.
bool SameConstants(const Module& a, const Module& b) {
  if (a.constants.size() != b.constants.size()) return false;
  for (size_t i = 0; i < a.constants.size(); ++i) {
    const TensorView &x = a.constants[i], &y = b.constants[i];
    if (x.storage != y.storage || x.shape != y.shape) return false;
    if (a.recipe(i) == nullptr && !SameValues(x, y)) return false;
  }
  return true;
}

}  // namespace

bool operator==(const Module& a, const Module& b) {
  return a.spec_version == b.spec_version && a.profile == b.profile && a.functions == b.functions &&
         a.metadata == b.metadata && a.recipes == b.recipes && SameConstants(a, b);
}

const RecipeConstant* Module::recipe(size_t constant) const {
  const auto at = std::lower_bound(recipes.begin(), recipes.end(), constant,
                                   [](const RecipeConstant& r, size_t index) { return r.constant < index; });
  return at != recipes.end() && at->constant == constant ? &*at : nullptr;
}

int NumResults(const Module& module, const Instruction& instruction) {
  const OpInfo& info = InfoOf(instruction.op);
  if (info.results != kResultsOfFunction) return info.results;
  std::optional<int64_t> function;
  ForEachFunction(info.attributes, instruction.attributes,
                  [&](int64_t f) { function = function.value_or(f); });
  const auto count = static_cast<int64_t>(module.functions.size());
  if (!function.has_value() || *function < 0 || *function >= count) return 1;
  return std::max(1, static_cast<int>(module.functions[*function].results.size()));
}

Metadata DefaultMetadata(const Function& entry) {
  Metadata metadata;
  for (size_t i = 0; i < entry.params.size(); ++i) metadata.params.push_back({"p" + std::to_string(i), {}});
  for (size_t i = 0; i < entry.results.size(); ++i) metadata.results.push_back({"r" + std::to_string(i), {}});
  return metadata;
}

}  // namespace tally
