// The body of a function on the references, over any integer and any place of values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/int_math.h"
#include "ops/function_caller.h"
#include "ops/references.h"
#include "vm/cancellation.h"
#include "vm/plan.h"

namespace tally {

// For each function and step, the values that nothing reads after it.
using LastUses = std::vector<std::vector<std::vector<ValueId>>>;

// One run of a module. `Values` is where the values of one call of a function are: ArenaValues, FormalValues
// or KeptValues.
template <typename Int, typename Values>
class ScalarRun {
 public:
  // Where `last_uses` is null, values are kept. `observer` and `cancellation`: null in a run without.
  explicit ScalarRun(const ValidModule& module, const LastUses* last_uses = nullptr,
                     const Observer* observer = nullptr, const Cancellation* cancellation = nullptr)
      : module_(module), last_uses_(last_uses), observer_(observer), cancellation_(cancellation) {}

  // False: cancelled, and values are missing.
  [[nodiscard]] bool RunBody(size_t function, Values& values) {
    const auto& body = module_.module().functions[function].body;
    for (size_t step = 0; step < body.size(); ++step) {
      const InstructionFacts& facts = module_.functions()[function].instructions[step];
      if (module_.constant(function, facts.first_result) != nullptr) continue;  // read in place
      if (IsCancelled(cancellation_) || !RunStep(function, step, values)) return false;
      if (last_uses_ == nullptr) continue;
      for (const ValueId id : (*last_uses_)[function][step]) values.Release(id);
    }
    return true;
  }

  // One instruction, which is no constant. False as above.
  [[nodiscard]] bool RunStep(size_t function, size_t step, Values& values) {
    const Instruction& instruction = module_.module().functions[function].body[step];
    const FunctionFacts& facts = module_.functions()[function];
    const auto [first_result, num_results] =
        std::pair(facts.instructions[step].first_result, facts.instructions[step].num_results);
    std::vector<Operand<Int>> operands;
    for (const ValueId id : instruction.operands) operands.push_back(values.Read(id));
    std::vector<Result<Int>> results;
    for (int r = 0; r < num_results; ++r) results.push_back(values.Write(first_result + r));
    Caller caller(*this, function, step, values);
    ReferenceOf<Int>(instruction.op)({&instruction.attributes, operands, results, &caller});
    if (!caller.has_ended()) return false;
    if (observer_ == nullptr) return true;
    for (ValueId id = first_result; id < first_result + num_results; ++id) {
      Tensor tensor(facts.types[id].shape, facts.types[id].storage());
      values.Read(id).CopyTo(tensor.storage(), tensor.mutable_bytes().data());
      (*observer_)(path_, id, tensor.view());
    }
    return true;
  }

 private:
  // Runs the functions that one instruction names.
  class Caller final : public FunctionCaller<Int> {
   public:
    Caller(ScalarRun& run, size_t function, size_t step, Values& values)
        : run_(run), function_(function), step_(step), values_(values) {}

    // Whether every function that it ran has ended by itself.
    bool has_ended() const { return has_ended_; }

    FunctionSignature Signature(int64_t function) const override {
      return run_.module_.functions()[function].signature();
    }
    bool Call(int64_t function, int64_t invocation, std::span<const Operand<Int>> arguments,
              std::span<const Result<Int>> results) override {
      run_.path_.push_back({static_cast<int64_t>(step_), invocation});
      Values callee(run_.module_, function, values_.Scratch(step_), arguments);
      has_ended_ = run_.RunBody(function, callee);
      if (!has_ended_) return false;
      const auto& ids = run_.module_.module().functions[function].results;
      for (size_t r = 0; r < results.size(); ++r) {
        results[r].SetAll(callee.Read(ids[r]));
      }
      run_.path_.pop_back();
      return true;
    }
    Result<Int> Allocate(const TensorType& type) override {
      if (allocated_ < 0) allocated_ = BytesOfFunctions();
      const int64_t offset = allocated_;
      allocated_ += RoundUp(type.size_bytes(), kBufferAlignment);
      return values_.Allocate(step_, offset, type);
    }

   private:
    // They run one after another, in the same memory.
    int64_t BytesOfFunctions() const {
      const Instruction& instruction = run_.module_.module().functions[function_].body[step_];
      int64_t bytes = 0;
      ForEachFunction(InfoOf(instruction.op).attributes, instruction.attributes, [&](int64_t function) {
        bytes = std::max(bytes, run_.module_.functions()[function].arena_bytes);
      });
      return bytes;
    }

    ScalarRun& run_;
    size_t function_, step_;
    Values& values_;
    int64_t allocated_ = -1;
    bool has_ended_ = true;
  };

  const ValidModule& module_;
  const LastUses* last_uses_;
  const Observer* observer_;
  const Cancellation* cancellation_;
  std::vector<CallSite> path_;
};

}  // namespace tally
