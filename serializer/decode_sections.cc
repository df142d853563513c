#include "serializer/decode_sections.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "serializer/decode_function.h"
#include "serializer/decode_values.h"
#include "serializer/format.h"
#include "serializer/labels.h"
#include "vm/limits.h"
#include "vm/metadata_rules.h"

namespace tally {
namespace {

constexpr uint64_t kMinConstantBytes = 2;  // storage, rank 0
constexpr uint64_t kMinFunctionBytes = 3;  // three counts

absl::StatusOr<RecipeConstant> ReadRecipe(uint32_t constant, const Shape& shape, ByteReader& reader) {
  RecipeConstant r;
  r.constant = constant;
  r.recipe.count = shape.num_elements();
  ASSIGN_OR_RETURN(const uint8_t function, reader.ReadByte());
  if (function >= AllRecipeFunctions().size()) {
    return MakeError(label::bad_enum, absl::StrCat("no recipe function has code ", function, " before byte ",
                                                   reader.position()));
  }
  r.recipe.function = static_cast<RecipeFunction>(function);
  for (int64_t* field : RecipeFields(r.recipe)) {
    ASSIGN_OR_RETURN(*field, reader.ReadSignedVarint());
  }
  ASSIGN_OR_RETURN(const std::span<const uint8_t> digest, reader.ReadBytes(r.sha256.size()));
  std::copy(digest.begin(), digest.end(), r.sha256.begin());
  return r;
}

// The next constant, and its recipe if it has one.
absl::Status ReadConstant(ByteReader& reader, Module& module) {
  ASSIGN_OR_RETURN(const uint8_t code, reader.ReadByte());
  TensorView constant;
  constant.storage = static_cast<Storage>(code & ~kRecipeFlag);
  if (std::find(kAllStorages.begin(), kAllStorages.end(), constant.storage) == kAllStorages.end()) {
    return MakeError(label::bad_storage,
                     absl::StrCat("storage code ", code, " before byte ", reader.position()));
  }
  ASSIGN_OR_RETURN(constant.shape, ReadShape(reader));
  if ((code & kRecipeFlag) != 0) {
    ASSIGN_OR_RETURN(RecipeConstant r,
                     ReadRecipe(static_cast<uint32_t>(module.constants.size()), constant.shape, reader));
    module.recipes.push_back(std::move(r));
  }
  module.constants.push_back(std::move(constant));
  return absl::OkStatus();
}

absl::StatusOr<ValueInfo> ReadValueInfo(ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint64_t length, ReadCount("a name's length", kMaxNameBytes, 1, reader));
  ASSIGN_OR_RETURN(const std::span<const uint8_t> name, reader.ReadBytes(length));
  ValueInfo info;
  info.name.assign(name.begin(), name.end());
  if (!IsPrintableUtf8(info.name)) {
    return MakeError(label::bad_text_encoding, absl::StrCat("the name that ends at byte ", reader.position(),
                                                            " is not printable UTF-8"));
  }
  ASSIGN_OR_RETURN(const bool quantized, ReadFlag(reader));
  if (!quantized) return info;
  Quantization quantization;
  ASSIGN_OR_RETURN(quantization.zero_point, reader.ReadSignedVarint());
  ASSIGN_OR_RETURN(quantization.multiplier, reader.ReadSignedVarint());
  ASSIGN_OR_RETURN(quantization.shift, reader.ReadSignedVarint());
  info.quantization = quantization;
  return info;
}

// Appends one at a time: a count that the bytes do not bear out costs no memory.
absl::Status ReadValueInfos(size_t count, ByteReader& reader, std::vector<ValueInfo>& infos) {
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(ValueInfo info, ReadValueInfo(reader));
    infos.push_back(std::move(info));
  }
  return absl::OkStatus();
}

}  // namespace

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
                                " bytes after its content, from byte ", payload.position()));
}

absl::StatusOr<std::vector<Function>> ReadFunctions(ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint64_t count, ReadCount("functions", kMaxFunctions, kMinFunctionBytes, reader));
  if (count == 0) return MakeError(label::count_limit, "a module without a function");
  std::vector<Function> functions;
  functions.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(Function function, ReadFunction(reader));
    functions.push_back(std::move(function));
  }
  return functions;
}

absl::Status ReadConstantDirectory(ByteReader& reader, Module& module) {
  ASSIGN_OR_RETURN(const uint64_t count, ReadCount("constants", kMaxConstants, kMinConstantBytes, reader));
  module.constants.reserve(count);
  int64_t total_bytes = 0;  // at most 2^16 constants of 2^39 bytes
  for (uint64_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(ReadConstant(reader, module));
    total_bytes += module.constants.back().size_bytes();
    if (total_bytes > kMaxConstantBytes) {
      return MakeError(label::count_limit,
                       absl::StrCat("constants of more than ", kMaxConstantBytes, " bytes"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Metadata> ReadMetadata(const Function& entry, ByteReader& reader) {
  Metadata metadata;
  RETURN_IF_ERROR(ReadValueInfos(entry.params.size(), reader, metadata.params));
  RETURN_IF_ERROR(ReadValueInfos(entry.results.size(), reader, metadata.results));
  return metadata;
}

}  // namespace tally
