// A case of a vector file as a module.
#pragma once

#include "tests/vectors/vector_file.h"

namespace tally {

// One instruction of `op` after the parameters x0, x1, ... and the constants of the case, whose results are
// y0, y1, ...
Module ModuleOfCase(const OpInfo& op, const VectorCase& test);

}  // namespace tally
