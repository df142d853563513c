// What observers are shown, for engines that compile a lowering of the module.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vm/valid_module.h"

namespace tally {

// What is shown of one function.
struct ObservedFunction {
  struct Value {
    ValueId id;       // in the module
    TensorType type;  // there
    ValueId place;    // in the module that is compiled
  };
  std::vector<Value> values;     // in the order of the instructions that compute them
  std::vector<int64_t> callers;  // positions of the instructions that name functions
};

// By function. `places`: as LowerOperators gives them; empty when `module` itself is compiled.
std::vector<ObservedFunction> ObservedFunctions(const ValidModule& module,
                                                std::span<const std::vector<std::optional<ValueId>>> places);

// Whether an instruction runs functions.
bool NamesFunctions(const Instruction& instruction);

}  // namespace tally
