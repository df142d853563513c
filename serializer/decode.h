// Reads the binary form of a module (docs/spec/binary.md) from untrusted bytes.
//
//   ASSIGN_OR_RETURN(Module module, Decode(file->bytes(), file));
//   ASSIGN_OR_RETURN(const ValidModule valid, Validate(std::move(module)));
//
// Canonical: exactly the byte strings that Encode writes are accepted. Errors: the labels of stage
// `malformed` in docs/spec/errors.md. Memory is proportional to the bytes, whatever the counts in them claim,
// and constants are not copied.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/module.h"

namespace tally {

// The constants of the module are views into `bytes`, at multiples of kConstantAlignment from its start;
// `owner` keeps the bytes alive and becomes the module's backing. The bytes must not change while the module
// lives.
absl::StatusOr<Module> Decode(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner);

// A module that owns its bytes.
absl::StatusOr<Module> Decode(std::vector<uint8_t> bytes);

}  // namespace tally
