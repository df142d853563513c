// From the functions of a module to programs of the cuda engine.
#pragma once

#include <vector>

#include "vm/engines/cuda/constants.h"
#include "vm/engines/cuda/program.h"
#include "vm/valid_module.h"

namespace tally::cuda {

// One program for each function. A pure function of the module, which `programs` and `constants` then point into.
void Compile(const ValidModule& module, std::vector<Program>& programs, Constants& constants);

}  // namespace tally::cuda
