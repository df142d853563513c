// A module that passed validation, with everything the pass proved about it.
//
// Only Validate makes one, so a function that takes a ValidModule need not check anything again: every
// operand is defined, every type is known, no value and no partial sum can leave its bound, gas and memory
// are known. Referees also take one that ValidateProgram has made, whose constants have no bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/function_signature.h"
#include "vm/memory_planner.h"
#include "vm/module.h"

namespace tally {

// The facts that are proven about one instruction.
struct InstructionFacts {
  ValueId first_result = 0;
  int num_results = 1;
  Interval accumulator;  // bound of every partial sum in any order; [0, 0] if it does not accumulate
  int64_t gas = 0;
  // Working memory beyond operands and results; for control operators, the arenas of their functions.
  int64_t scratch_bytes = 0;
  int64_t scratch_offset = -1;  // in the arena of the function; -1 if there is none
};

// The facts that are proven about one function.
struct FunctionFacts {
  // By value id. Precisions are published CVM precisions, meaningful in profile cvm only.
  std::vector<TensorType> types;
  std::vector<int> precisions;
  std::vector<int32_t> constants;  // index of the constant that the value is, or -1
  // The last position in the body at which the value is live; the body's size for results.
  std::vector<int32_t> last_steps;
  std::vector<int64_t> offsets;  // in an arena of narrowest storages; -1 for values elsewhere

  std::vector<InstructionFacts> instructions;  // by position in the body
  std::vector<TensorType> params;
  std::vector<TensorType> results;
  int64_t gas = 0;
  int64_t arena_bytes = 0;
  int64_t largest_live_bytes = 0;
  int depth = 1;  // functions that run inside one another, this one included

  FunctionSignature signature() const { return {params, results, gas, arena_bytes}; }
};

class ValidModule {
 public:
  const Module& module() const { return module_; }
  const Function& entry() const { return module_.entry(); }

  // By number of the function.
  std::span<const FunctionFacts> functions() const { return functions_; }

  // The constant that value `value` of function `function` is, or null.
  const TensorView* constant(size_t function, ValueId value) const {
    const int32_t index = functions_[function].constants[value];
    return index < 0 ? nullptr : &module_.constants[index];
  }

  // Those of the entry, which are those of the module.
  std::span<const TensorType> types() const { return functions_[0].types; }
  std::span<const int> precisions() const { return functions_[0].precisions; }
  std::span<const InstructionFacts> facts() const { return functions_[0].instructions; }
  std::span<const int32_t> last_steps() const { return functions_[0].last_steps; }
  std::span<const int64_t> offsets() const { return functions_[0].offsets; }
  const TensorView* constant(ValueId value) const { return constant(0, value); }
  int64_t gas() const { return functions_[0].gas; }
  int64_t arena_bytes() const { return functions_[0].arena_bytes; }
  int64_t largest_live_bytes() const { return functions_[0].largest_live_bytes; }

  int64_t constant_bytes() const { return constant_bytes_; }

 private:
  friend class Validator;
  ValidModule() = default;

  Module module_;
  std::vector<FunctionFacts> functions_;
  int64_t constant_bytes_ = 0;
};

}  // namespace tally
