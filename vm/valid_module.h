// A module that passed validation, with everything the pass proved about it.
//
// Only Validate makes one, so a function that takes a ValidModule need not check anything again: every operand is
// defined, every type is known, no value and no partial sum can leave its bound, gas and memory are known.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vm/memory_planner.h"
#include "vm/module.h"

namespace tally {

// What is proven about one instruction.
struct InstructionFacts {
  ValueId first_result = 0;
  Interval accumulator;  // bound of every partial sum in any order; [0, 0] if it does not accumulate
  int64_t gas = 0;
  int64_t scratch_bytes = 0;  // working memory beyond operands and results
};

class ValidModule {
 public:
  const Module& module() const { return module_; }
  const Function& entry() const { return module_.entry(); }

  // By value id. Precisions are published CVM precisions, meaningful in profile cvm only.
  std::span<const TensorType> types() const { return types_; }
  std::span<const int> precisions() const { return precisions_; }

  // By position in the body.
  std::span<const InstructionFacts> facts() const { return facts_; }

  // The constant that `value` is, or null.
  const TensorView* constant(ValueId value) const {
    return constants_[value] < 0 ? nullptr : &module_.constants[constants_[value]];
  }

  // By value id: the last step, a position in the body, at which the value is live; the body's size for results.
  std::span<const int32_t> last_steps() const { return last_steps_; }

  int64_t gas() const { return gas_; }
  int64_t constant_bytes() const { return constant_bytes_; }

  // Offsets by value id (constants have none: -1), in an arena of narrowest storages.
  std::span<const int64_t> offsets() const { return offsets_; }
  int64_t arena_bytes() const { return arena_bytes_; }
  int64_t largest_live_bytes() const { return largest_live_bytes_; }

 private:
  friend class Validator;
  ValidModule() = default;

  Module module_;
  std::vector<TensorType> types_;
  std::vector<int> precisions_;
  std::vector<InstructionFacts> facts_;
  std::vector<int32_t> constants_;  // by value id: index of the constant, or -1
  std::vector<int32_t> last_steps_;
  std::vector<int64_t> offsets_;
  int64_t gas_ = 0;
  int64_t constant_bytes_ = 0;
  int64_t arena_bytes_ = 0;
  int64_t largest_live_bytes_ = 0;
};

}  // namespace tally
