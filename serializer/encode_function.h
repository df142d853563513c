// Writes a function: parameters, instructions, results (docs/spec/binary.md#functions).
#pragma once

#include "base/byte_writer.h"
#include "base/shape.h"
#include "vm/module.h"

namespace tally {

void WriteShape(const Shape& shape, ByteWriter& writer);

void WriteFunction(const Function& function, ByteWriter& writer);

}  // namespace tally
