// Reads the payloads of the sections before the constant data (docs/spec/binary.md).
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "base/byte_reader.h"
#include "vm/module.h"

namespace tally {

absl::StatusOr<std::vector<Function>> ReadFunctions(ByteReader& reader);

// Constants that have no bytes yet, and the recipes of those that will not get any from the file.
absl::Status ReadConstantDirectory(ByteReader& reader, Module& module);

// One entry for each parameter and result of `entry`; their number is not written again.
absl::StatusOr<Metadata> ReadMetadata(const Function& entry, ByteReader& reader);

}  // namespace tally
