// Reads a function: parameters, instructions, results (docs/spec/binary.md#functions).
#pragma once

#include "absl/status/statusor.h"
#include "base/byte_reader.h"
#include "vm/module.h"

namespace tally {

// Each instruction has the attributes that its row declares and, where the row fixes their number, as many
// operands; ids and integer attributes may be anything that their types hold.
absl::StatusOr<Function> ReadFunction(ByteReader& reader);

}  // namespace tally
