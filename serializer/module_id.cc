#include "serializer/module_id.h"

#include "serializer/encode_sections.h"
#include "serializer/hash_domain.h"
#include "serializer/tensor_digest.h"

namespace tally {
namespace {

Digest RecipeDigest(const Module& module, size_t constant) {
  ByteWriter writer;
  WriteConstant(module, constant, writer);
  return HashInDomain(HashDomain::kRecipe, writer.Take());
}

}  // namespace

Digest MetadataDigest(const Module& module) {
  return HashInDomain(HashDomain::kMetadata, EncodeMetadata(module));
}

std::vector<Digest> ConstantDigests(const Module& module) {
  std::vector<Digest> digests;
  digests.reserve(module.constants.size());
  for (size_t i = 0; i < module.constants.size(); ++i) {
    digests.push_back(module.recipe(i) != nullptr ? RecipeDigest(module, i)
                                                  : TensorDigest(module.constants[i]));
  }
  return digests;
}

std::vector<uint8_t> EncodeProgram(const Module& module, std::span<const Digest> constant_digests) {
  ByteWriter writer;
  WriteHeader(module, writer);
  const std::vector<uint8_t> functions = EncodeFunctions(module);
  WriteSectionFrame(SectionId::kFunctions, functions.size(), writer);
  writer.WriteBytes(functions);
  writer.WriteVarint(constant_digests.size());
  for (const Digest& digest : constant_digests) writer.WriteBytes(digest);
  writer.WriteBytes(MetadataDigest(module));
  return writer.Take();
}

Digest ModuleId(const Module& module) {
  return HashInDomain(HashDomain::kProgram, EncodeProgram(module, ConstantDigests(module)));
}

}  // namespace tally
