// Modules of one instruction, by the generators of the fuzz targets.
#pragma once

#include <optional>

#include "fuzz/generators/entropy_source.h"
#include "ops/op_table.h"
#include "vm/valid_module.h"

namespace tally {

// A module of one instruction of `op`, or nothing where none came of the draw. What is left of `e` serves for
// inputs.
std::optional<ValidModule> DrawInstruction(Opcode op, EntropySource& e);

// The bytes of draw `number` for `op`.
std::vector<uint8_t> BytesOfDraw(Opcode op, uint64_t number);

}  // namespace tally
