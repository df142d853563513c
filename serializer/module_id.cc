#include "serializer/module_id.h"

#include "serializer/encode_sections.h"
#include "serializer/hash_domain.h"
#include "serializer/program.h"
#include "serializer/recipe_entry.h"
#include "serializer/tensor_digest.h"

namespace tally {
Digest MetadataDigest(const Module& module) {
  return HashInDomain(HashDomain::kMetadata, EncodeMetadata(module));
}

std::vector<Digest> ConstantDigests(const Module& module) {
  std::vector<Digest> digests;
  digests.reserve(module.constants.size());
  for (size_t i = 0; i < module.constants.size(); ++i) {
    digests.push_back(module.recipe(i) != nullptr ? RecipeEntryDigest(EncodeRecipeEntry(module, i))
                                                  : TensorDigest(module.constants[i]));
  }
  return digests;
}

Digest ModuleId(const Module& module) {
  return ProgramId(EncodeProgram(module, ConstantDigests(module), MetadataDigest(module)));
}

}  // namespace tally
