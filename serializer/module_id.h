// The identity of a module: one digest that binds its header, its functions, every constant and its metadata.
//
//   const std::string name = ToHex(ModuleId(module));
//
// It is the hash of the program: the module's canonical bytes, in which a digest replaces each constant and
// the metadata (docs/spec/commitment.md#modules).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash/digest.h"
#include "vm/module.h"

namespace tally {

// All require a well-formed module (serializer/encode.h).

// SHA256(1b || payload of the metadata section)
Digest MetadataDigest(const Module& module);

// The TensorDigest of each constant; SHA256(1c || its entry in the directory) for one with a recipe.
std::vector<Digest> ConstantDigests(const Module& module);

// ProgramId (serializer/program.h)
Digest ModuleId(const Module& module);

}  // namespace tally
