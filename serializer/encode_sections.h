// The parts of an encoded module: Encode joins them to a file, ModuleId hashes some of them.
// All require a well-formed module (serializer/encode.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/byte_writer.h"
#include "serializer/format.h"
#include "vm/module.h"

namespace tally {

inline constexpr uint64_t kSectionFrameBytes = 9;  // id and length

// Magic, format version, profile and spec version.
void WriteHeader(const Module& module, ByteWriter& writer);

void WriteSectionFrame(SectionId id, uint64_t length, ByteWriter& writer);

// A constant as the directory has it; with its recipe and digest, if it has one.
void WriteConstant(const Module& module, size_t index, ByteWriter& writer);

// The payloads of the sections before the constant data.
std::vector<uint8_t> EncodeFunctions(const Module& module);
std::vector<uint8_t> EncodeConstantDirectory(const Module& module);
std::vector<uint8_t> EncodeMetadata(const Module& module);

}  // namespace tally
