#include "serializer/program.h"

#include <algorithm>
#include <utility>

#include "base/byte_reader.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "serializer/decode_sections.h"
#include "serializer/decode_values.h"
#include "serializer/encode_sections.h"
#include "serializer/hash_domain.h"
#include "serializer/labels.h"
#include "vm/limits.h"

namespace tally {
namespace {

absl::StatusOr<Digest> ReadDigest(ByteReader& reader) {
  Digest digest;
  ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes, reader.ReadBytes(digest.size()));
  std::ranges::copy(bytes, digest.begin());
  return digest;
}

}  // namespace

std::vector<uint8_t> EncodeProgram(const Module& module, std::span<const Digest> constants,
                                   const Digest& metadata) {
  ByteWriter writer;
  WriteHeader(module, writer);
  const std::vector<uint8_t> functions = EncodeFunctions(module);
  WriteSectionFrame(SectionId::kFunctions, functions.size(), writer);
  writer.WriteBytes(functions);
  writer.WriteVarint(constants.size());
  for (const Digest& digest : constants) writer.WriteBytes(digest);
  writer.WriteBytes(metadata);
  return writer.Take();
}

absl::StatusOr<Program> DecodeProgram(std::span<const uint8_t> bytes) {
  Program program;
  ByteReader reader(bytes);
  RETURN_IF_ERROR(ReadHeader(bytes, reader, program.module));
  ASSIGN_OR_RETURN(ByteReader functions, EnterSection(SectionId::kFunctions, bytes, reader));
  ASSIGN_OR_RETURN(program.module.functions, ReadFunctions(functions));
  RETURN_IF_ERROR(LeaveSection(SectionId::kFunctions, functions));
  ASSIGN_OR_RETURN(const uint64_t constants, ReadCount("constants", kMaxConstants, sizeof(Digest), reader));
  for (uint64_t i = 0; i < constants; ++i) {
    ASSIGN_OR_RETURN(program.constants.emplace_back(), ReadDigest(reader));
  }
  ASSIGN_OR_RETURN(program.metadata, ReadDigest(reader));
  if (reader.remaining() != 0) {
    return MakeError(label::trailing_bytes, absl::StrCat(reader.remaining(), " bytes follow the program"));
  }
  return program;
}

Digest ProgramId(std::span<const uint8_t> program) { return HashInDomain(HashDomain::kProgram, program); }

}  // namespace tally
