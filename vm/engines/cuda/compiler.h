// From the functions of a module to programs of the cuda engine.
#pragma once

#include <vector>

#include "vm/engines/cuda/constants.h"
#include "vm/engines/cuda/program.h"
#include "vm/valid_module.h"

namespace tally::cuda {

// One program for each function, for devices of `arch`. A pure function of both; `programs` and `constants` then point into
// the module.
void Compile(const ValidModule& module, Arch arch, std::vector<Program>& programs, Constants& constants);

}  // namespace tally::cuda
