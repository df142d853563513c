// A program: a module without its weights and its metadata, which their digests replace. Whoever holds one
// can check single constants, and recompute the module's id (docs/spec/commitment.md#modules).
//
//   const std::vector<uint8_t> bytes = EncodeProgram(module, ConstantDigests(module), MetadataDigest(module));
//   ASSIGN_OR_RETURN(const Program program, DecodeProgram(bytes));
//   ProgramId(bytes) == ModuleId(module);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "vm/module.h"

namespace tally {

struct Program {
  Module module;  // header and functions; no constants, empty metadata
  std::vector<Digest> constants;
  Digest metadata = {};
};

// header || functions section || number of constants || their digests || metadata digest
std::vector<uint8_t> EncodeProgram(const Module& module, std::span<const Digest> constants,
                                   const Digest& metadata);

// Exactly what EncodeProgram writes. Errors: those of Decode for header and functions, count_limit,
// unexpected_end, trailing_bytes.
absl::StatusOr<Program> DecodeProgram(std::span<const uint8_t> bytes);

// SHA256(11 || program): the id of the module.
Digest ProgramId(std::span<const uint8_t> program);

}  // namespace tally
