// Every value of one call of a function, by the references: what a run that is checked is compared with.
//
//   const auto values = EvaluateFunction(*module, 0, arguments);
//   values[id]->at(element);
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/tensor.h"
#include "ops/reference.h"
#include "vm/valid_module.h"

namespace tally {

// By id, in the storage of their types; nothing where a value is a constant of the module. `arguments` are in
// the intervals of the parameters. Memory: all values at once.
std::vector<std::optional<Tensor>> EvaluateFunction(const ValidModule& module, size_t function,
                                                    std::span<const Operand<int64_t>> arguments);

// The results of one instruction, which is no constant, on operands that are in the intervals of its own.
std::vector<Tensor> EvaluateInstruction(const ValidModule& module, size_t function, size_t step,
                                        std::span<const TensorView> operands);

}  // namespace tally
