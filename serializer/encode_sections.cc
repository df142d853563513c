#include "serializer/encode_sections.h"

#include <optional>
#include <span>

#include "serializer/encode_function.h"

namespace tally {
namespace {

void WriteValueInfo(const ValueInfo& info, ByteWriter& writer) {
  writer.WriteVarint(info.name.size());
  writer.WriteBytes({reinterpret_cast<const uint8_t*>(info.name.data()), info.name.size()});
  writer.WriteByte(info.quantization.has_value() ? 1 : 0);
  if (!info.quantization.has_value()) return;
  writer.WriteSignedVarint(info.quantization->zero_point);
  writer.WriteSignedVarint(info.quantization->multiplier);
  writer.WriteSignedVarint(info.quantization->shift);
}

}  // namespace

void WriteConstant(const Module& module, size_t index, ByteWriter& writer) {
  const TensorView& constant = module.constants[index];
  const RecipeConstant* r = module.recipe(index);
  writer.WriteByte(
      static_cast<uint8_t>(static_cast<uint8_t>(constant.storage) | (r != nullptr ? kRecipeFlag : 0)));
  WriteShape(constant.shape, writer);
  if (r == nullptr) return;
  writer.WriteByte(static_cast<uint8_t>(r->recipe.function));
  for (const int64_t* field : RecipeFields(r->recipe)) writer.WriteSignedVarint(*field);
  writer.WriteBytes(r->sha256);
}

void WriteHeader(const Module& module, ByteWriter& writer) {
  writer.WriteBytes(kModuleMagic);
  writer.WriteByte(kModuleFormatVersion);
  writer.WriteByte(static_cast<uint8_t>(module.profile));
  writer.WriteU32(module.spec_version);
}

void WriteSectionFrame(SectionId id, uint64_t length, ByteWriter& writer) {
  writer.WriteByte(static_cast<uint8_t>(id));
  writer.WriteU64(length);
}

std::vector<uint8_t> EncodeFunctions(const Module& module) {
  ByteWriter writer;
  writer.WriteVarint(module.functions.size());
  for (const Function& function : module.functions) WriteFunction(function, writer);
  return writer.Take();
}

std::vector<uint8_t> EncodeConstantDirectory(const Module& module) {
  ByteWriter writer;
  writer.WriteVarint(module.constants.size());
  for (size_t i = 0; i < module.constants.size(); ++i) WriteConstant(module, i, writer);
  return writer.Take();
}

std::vector<uint8_t> EncodeMetadata(const Module& module) {
  ByteWriter writer;
  for (const ValueInfo& info : module.metadata.params) WriteValueInfo(info, writer);
  for (const ValueInfo& info : module.metadata.results) WriteValueInfo(info, writer);
  return writer.Take();
}

}  // namespace tally
