// The one binary encoding of a module (docs/spec/binary.md).
//
//   const std::vector<uint8_t> bytes = Encode(valid.module());
//   RETURN_IF_ERROR(WriteFileAtomically("model.tally", bytes));
//
// Law: Decode(Encode(m)) == m for every well-formed m, and Encode(Decode(b)) == b for every accepted b.
#pragma once

#include <cstdint>
#include <vector>

#include "vm/module.h"

namespace tally {

// `module` must be well-formed: 1 to kMaxFunctions functions, one metadata entry for each parameter and
// result of the first, names in printable UTF-8, operands and attributes of the kind and number that the
// row of their operator declares, and constants whose bytes match their shape. Every decoded, assembled or
// valid module is.
std::vector<uint8_t> Encode(const Module& module);

}  // namespace tally
