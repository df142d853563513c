#include "serializer/encode.h"

#include <span>

#include "base/byte_writer.h"
#include "serializer/encode_sections.h"
#include "serializer/format.h"
#include "vm/limits.h"

namespace tally {
namespace {

// Constants from the next multiple of kConstantAlignment of the file on, each at a multiple.
void WriteData(const Module& module, ByteWriter& writer) {
  // The length comes before the data, whose padding depends on where the section's payload starts.
  uint64_t end = writer.size() + kSectionFrameBytes;
  const uint64_t start = end;
  for (size_t i = 0; i < module.constants.size(); ++i) {
    if (module.recipe(i) != nullptr) continue;
    const uint64_t excess = end % kConstantAlignment;
    if (excess != 0) end += kConstantAlignment - excess;
    end += module.constants[i].bytes.size();
  }
  WriteSectionFrame(SectionId::kData, end - start, writer);
  for (size_t i = 0; i < module.constants.size(); ++i) {
    if (module.recipe(i) != nullptr) continue;
    writer.PadTo(kConstantAlignment);
    writer.WriteBytes(module.constants[i].bytes);
  }
}

void WriteSection(SectionId id, const std::vector<uint8_t>& payload, ByteWriter& writer) {
  WriteSectionFrame(id, payload.size(), writer);
  writer.WriteBytes(payload);
}

}  // namespace

std::vector<uint8_t> Encode(const Module& module) {
  ByteWriter writer;
  WriteHeader(module, writer);
  WriteSection(SectionId::kFunctions, EncodeFunctions(module), writer);
  WriteSection(SectionId::kConstants, EncodeConstantDirectory(module), writer);
  WriteSection(SectionId::kMetadata, EncodeMetadata(module), writer);
  WriteData(module, writer);
  return writer.Take();
}

}  // namespace tally
