// Damage: turns a module that validates into one that mostly does not.
#pragma once

#include "fuzz/generators/entropy_source.h"
#include "vm/module.h"

namespace tally {

// Changes one thing: a number, an operand, an attribute, a type, a name, an instruction.
void MutateModule(EntropySource& e, Module& module);

}  // namespace tally
