// Reads the frames of sections, and the payloads of those before the constant data (docs/spec/binary.md).
#pragma once

#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/byte_reader.h"
#include "serializer/format.h"
#include "vm/module.h"

namespace tally {

// Magic, format version, profile and spec version, from the start of `bytes`.
absl::Status ReadHeader(std::span<const uint8_t> bytes, ByteReader& reader, Module& module);

// Reads the frame of section `id`. The reader that it returns is at the payload and ends with it, and
// counts positions from the start of `bytes`; `file` moves after the section.
absl::StatusOr<ByteReader> EnterSection(SectionId id, std::span<const uint8_t> bytes, ByteReader& file);
// Error bad_section unless all of the payload has been read.
absl::Status LeaveSection(SectionId id, const ByteReader& payload);

absl::StatusOr<std::vector<Function>> ReadFunctions(ByteReader& reader);

// Constants that have no bytes yet, and the recipes of those that will not get any from the file.
absl::Status ReadConstantDirectory(ByteReader& reader, Module& module);

// One entry for each parameter and result of `entry`; their number is not written again.
absl::StatusOr<Metadata> ReadMetadata(const Function& entry, ByteReader& reader);

}  // namespace tally
