// The shapers of each family: null for operators that their row describes well enough.
#pragma once

#include "fuzz/generators/shaper.h"

namespace tally {

Shaper FindControlShaper(Opcode op);
Shaper FindElementwiseShaper(Opcode op);
Shaper FindLayoutShaper(Opcode op);
Shaper FindLinearShaper(Opcode op);
Shaper FindRescaleShaper(Opcode op);

}  // namespace tally
