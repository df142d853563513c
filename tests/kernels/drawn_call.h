// Random calls of one operator, as a plan would see them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/tensor.h"
#include "fuzz/generators/call_generator.h"
#include "ops/kernel.h"
#include "vm/valid_module.h"

namespace tally {

// An instruction of a validated module with operands to run it on.
struct DrawnCall {
  std::shared_ptr<const ValidModule> module;  // the memory that the spans below point into
  const Instruction* instruction;
  std::vector<TensorType> operand_types;
  std::vector<const TensorView*> constants;  // null for what is no constant
  std::vector<Storage> storages;
  std::vector<TensorType> result_types;
  Interval accumulator;
  std::vector<Tensor> operands;
  std::vector<int> same_as;  // the first operand that is the same value

  KernelFacts FactsIn(Layout layout) const {
    return {instruction->op, &instruction->attributes,
            operand_types,   storages,
            constants,       result_types,
            accumulator,     layout};
  }
};

// Nothing when what the seed stands for does not validate.
std::optional<DrawnCall> DrawCall(Opcode op, uint64_t seed);

// The module with its last instruction again and again, until its instructions have some gas, and some times
// that of what is passed to the entry; its results are those of the last. The results of `once` must be
// those of its last instruction.
std::optional<ValidModule> Repeated(const ValidModule& once);

// A module of such an instruction.
std::optional<ValidModule> DrawRepeated(Opcode op, EntropySource& e);

// The call of the last instruction of `draft`, which has these results, on random operands.
std::optional<DrawnCall> CallOf(const ModuleDraft& draft, const std::vector<DraftId>& results,
                                EntropySource& e);

// A generator for the shapes and attributes that kernels are made for, where the fuzzer's rarely meets them;
// or null.
CallGenerator FindKernelCallGenerator(Opcode op);
CallGenerator FindLinearKernelCallGenerator(Opcode op);
CallGenerator FindAttentionKernelCallGenerator(Opcode op);
CallGenerator FindSamplingKernelCallGenerator(Opcode op);

// A shape around the multiples of a vector's length, of `rank` or (-1) of any rank up to 5.
Shape TileShape(EntropySource& e, int rank = -1);

// Often that of a narrow storage.
Interval TileInterval(EntropySource& e);

}  // namespace tally
