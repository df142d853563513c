#include "serializer/decode.h"

#include <utility>

#include "base/byte_reader.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "serializer/decode_sections.h"
#include "serializer/format.h"
#include "serializer/labels.h"
#include "vm/limits.h"

namespace tally {
namespace {

// Points the constants of the directory at their bytes.
absl::Status ReadData(ByteReader& reader, Module& module) {
  for (size_t i = 0; i < module.constants.size(); ++i) {
    if (module.recipe(i) != nullptr) continue;
    TensorView& constant = module.constants[i];
    RETURN_IF_ERROR(reader.SkipPadding(kConstantAlignment));
    ASSIGN_OR_RETURN(constant.bytes, reader.ReadBytes(static_cast<uint64_t>(constant.size_bytes())));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Module> Decode(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner) {
  Module module;
  ByteReader file(bytes);
  RETURN_IF_ERROR(ReadHeader(bytes, file, module));

  ASSIGN_OR_RETURN(ByteReader functions, EnterSection(SectionId::kFunctions, bytes, file));
  ASSIGN_OR_RETURN(module.functions, ReadFunctions(functions));
  RETURN_IF_ERROR(LeaveSection(SectionId::kFunctions, functions));

  ASSIGN_OR_RETURN(ByteReader directory, EnterSection(SectionId::kConstants, bytes, file));
  RETURN_IF_ERROR(ReadConstantDirectory(directory, module));
  RETURN_IF_ERROR(LeaveSection(SectionId::kConstants, directory));

  ASSIGN_OR_RETURN(ByteReader metadata, EnterSection(SectionId::kMetadata, bytes, file));
  ASSIGN_OR_RETURN(module.metadata, ReadMetadata(module.entry(), metadata));
  RETURN_IF_ERROR(LeaveSection(SectionId::kMetadata, metadata));

  ASSIGN_OR_RETURN(ByteReader data, EnterSection(SectionId::kData, bytes, file));
  RETURN_IF_ERROR(ReadData(data, module));
  RETURN_IF_ERROR(LeaveSection(SectionId::kData, data));

  if (file.remaining() != 0) {
    return MakeError(label::trailing_bytes, absl::StrCat(file.remaining(), " bytes follow the last section"));
  }
  module.backing = std::move(owner);
  return module;
}

absl::StatusOr<Module> Decode(std::vector<uint8_t> bytes) {
  auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  const std::span<const uint8_t> view(*owner);
  return Decode(view, std::move(owner));
}

}  // namespace tally
