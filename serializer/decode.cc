#include "serializer/decode.h"

#include <algorithm>
#include <string>
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

absl::Status ReadHeader(std::span<const uint8_t> bytes, ByteReader& reader, Module& module) {
  const size_t present = std::min(bytes.size(), kModuleMagic.size());
  if (!std::equal(bytes.begin(), bytes.begin() + present, kModuleMagic.begin())) {
    return MakeError(label::bad_magic, "the file does not start as a Tally module");
  }
  RETURN_IF_ERROR(reader.ReadBytes(kModuleMagic.size()).status());
  ASSIGN_OR_RETURN(const uint8_t version, reader.ReadByte());
  if (version != kModuleFormatVersion) {
    return MakeError(label::bad_format_version,
                     absl::StrCat("format version ", version, ", not ", kModuleFormatVersion));
  }
  ASSIGN_OR_RETURN(const uint8_t profile, reader.ReadByte());
  module.profile = static_cast<Profile>(profile);
  if (std::find(kAllProfiles.begin(), kAllProfiles.end(), module.profile) == kAllProfiles.end()) {
    return MakeError(label::bad_profile, absl::StrCat("profile code ", profile));
  }
  ASSIGN_OR_RETURN(module.spec_version, reader.ReadU32());
  return absl::OkStatus();
}

// Reads the frame of section `id`. The reader that it returns is at the payload and ends with it, and
// counts positions from the start of the file; `file` moves after the section.
absl::StatusOr<ByteReader> EnterSection(SectionId id, std::span<const uint8_t> bytes, ByteReader& file) {
  ASSIGN_OR_RETURN(const uint8_t found, file.ReadByte());
  if (found != static_cast<uint8_t>(id)) {
    return MakeError(label::bad_section,
                     absl::StrCat("section ", found, " where section ", static_cast<int>(id),
                                  " belongs, before byte ", file.position()));
  }
  ASSIGN_OR_RETURN(const uint64_t length, file.ReadU64());
  const uint64_t start = file.position();
  RETURN_IF_ERROR(file.ReadBytes(length).status());
  ByteReader payload(bytes.first(file.position()));
  RETURN_IF_ERROR(payload.ReadBytes(start).status());
  return payload;
}

absl::Status LeaveSection(SectionId id, const ByteReader& payload) {
  if (payload.remaining() == 0) return absl::OkStatus();
  return MakeError(label::bad_section,
                   absl::StrCat("section ", static_cast<int>(id), " goes on for ", payload.remaining(),
                                " bytes behind its content, from byte ", payload.position()));
}

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
