#include "serializer/recipe_entry.h"

#include "base/byte_reader.h"
#include "base/byte_writer.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "ops/labels.h"
#include "serializer/decode_sections.h"
#include "serializer/encode_sections.h"
#include "serializer/hash_domain.h"
#include "serializer/labels.h"

namespace tally {

absl::StatusOr<int64_t> RecipeEntry::Element(int64_t element) const {
  Recipe one = recipe;
  one.first += element;
  one.count = 1;
  ASSIGN_OR_RETURN(const std::vector<int64_t> entries, Expand(one));
  return entries[0];
}

std::vector<uint8_t> EncodeRecipeEntry(const Module& module, size_t constant) {
  ByteWriter writer;
  WriteConstant(module, constant, writer);
  return writer.Take();
}

absl::StatusOr<RecipeEntry> DecodeRecipeEntry(std::span<const uint8_t> bytes) {
  ByteWriter directory;
  directory.WriteVarint(1);
  directory.WriteBytes(bytes);
  const std::vector<uint8_t> of_one = directory.Take();
  ByteReader reader(of_one);
  Module module;
  RETURN_IF_ERROR(ReadConstantDirectory(reader, module));
  if (reader.remaining() != 0) {
    return MakeError(label::trailing_bytes, absl::StrCat(reader.remaining(), " bytes follow the entry"));
  }
  if (module.recipes.empty()) return MakeError(label::recipe_fields, "the entry has no recipe");
  const TensorView& constant = module.constants[0];
  return RecipeEntry{constant.storage, constant.shape, module.recipes[0].recipe};
}

Digest RecipeEntryDigest(std::span<const uint8_t> entry) { return HashInDomain(HashDomain::kRecipe, entry); }

}  // namespace tally
