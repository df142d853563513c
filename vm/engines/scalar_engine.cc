#include "vm/engines/scalar_engine.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/int_math.h"
#include "base/wide.h"
#include "ops/function_caller.h"
#include "ops/references.h"
#include "vm/engines/arena_values.h"
#include "vm/engines/fill_arena.h"

namespace tally {
namespace {

template <typename Int>
using ValuesOf = std::conditional_t<std::is_same_v<Int, FormalInt>, FormalValues, ArenaValues<Int>>;

// For each function and step, the values that nothing reads behind it.
using LastUses = std::vector<std::vector<std::vector<ValueId>>>;

LastUses LastUsesOf(const ValidModule& module) {
  LastUses uses;
  for (const FunctionFacts& facts : module.functions()) {
    auto& by_step = uses.emplace_back(facts.instructions.size());
    for (ValueId id = 0; id < facts.types.size(); ++id) {
      const auto last = static_cast<size_t>(facts.last_steps[id]);
      if (last < by_step.size()) by_step[last].push_back(id);
    }
  }
  return uses;
}

template <typename Int>
void CopyOut(const Operand<Int>& value, Storage storage, uint8_t* bytes) {
  for (int64_t i = 0; i < value.size(); ++i) {
    StoreElement(storage, bytes, i, static_cast<int64_t>(value[i]));
  }
}

// One run of a module.
template <typename Int>
class ScalarRun {
 public:
  using Values = ValuesOf<Int>;

  ScalarRun(const ValidModule& module, const LastUses& last_uses, const ExecuteOptions& options)
      : module_(module), last_uses_(last_uses), options_(options) {}

  void RunBody(size_t function, Values& values) {
    const auto& body = module_.module().functions[function].body;
    for (size_t step = 0; step < body.size(); ++step) {
      const InstructionFacts& facts = module_.functions()[function].instructions[step];
      if (module_.constant(function, facts.first_result) != nullptr) continue;  // read in place
      RunStep(function, step, values);
      for (const ValueId id : last_uses_[function][step]) values.Release(id);
    }
  }

 private:
  // Runs the functions that one instruction names.
  class Caller final : public FunctionCaller<Int> {
   public:
    Caller(ScalarRun& run, size_t function, size_t step, Values& values)
        : run_(run), function_(function), step_(step), values_(values) {}

    FunctionSignature Signature(int64_t function) const override {
      return run_.module_.functions()[function].signature();
    }
    void Call(int64_t function, int64_t invocation, std::span<const Operand<Int>> arguments,
              std::span<const Result<Int>> results) override {
      run_.path_.push_back({static_cast<int64_t>(step_), invocation});
      Values callee(run_.module_, function, values_.Scratch(step_), arguments);
      run_.RunBody(function, callee);
      const auto& ids = run_.module_.module().functions[function].results;
      for (size_t r = 0; r < results.size(); ++r) {
        const Operand<Int> value = callee.Read(ids[r]);
        for (int64_t i = 0; i < value.size(); ++i) results[r].Set(i, value[i]);
      }
      run_.path_.pop_back();
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
  };

  void RunStep(size_t function, size_t step, Values& values) {
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
    if (!options_.observer) return;
    for (ValueId id = first_result; id < first_result + num_results; ++id) {
      Tensor tensor(facts.types[id].shape, facts.types[id].storage());
      CopyOut(values.Read(id), tensor.storage(), tensor.mutable_bytes().data());
      options_.observer(path_, id, tensor.view());
    }
  }

  const ValidModule& module_;
  const LastUses& last_uses_;
  const ExecuteOptions& options_;
  std::vector<CallSite> path_;
};

// Big integers at their most, by function: every element an object (limbs of proven values are inline). The functions
// that an instruction names run one after another; what else it needs has at least a byte for each element.
std::vector<Int128> FormalBytes(const ValidModule& module) {
  constexpr Int128 kObject = sizeof(FormalInt);
  std::vector<Int128> bytes(module.functions().size());
  for (size_t f = bytes.size(); f-- > 0;) {
    const FunctionFacts& facts = module.functions()[f];
    Int128 inside = 0;
    for (size_t step = 0; step < facts.instructions.size(); ++step) {
      const Instruction& instruction = module.module().functions[f].body[step];
      Int128 functions = 0;
      ForEachFunction(InfoOf(instruction.op).attributes, instruction.attributes,
                      [&](int64_t function) { functions = std::max(functions, bytes[function]); });
      if (functions == 0) continue;
      inside = std::max(inside, SatAdd(functions, SatMul(facts.instructions[step].scratch_bytes, kObject)));
    }
    bytes[f] = inside;
    for (auto id = static_cast<ValueId>(facts.params.size()); id < facts.types.size(); ++id) {
      if (facts.constants[id] >= 0) continue;
      bytes[f] = SatAdd(bytes[f], SatMul(facts.types[id].shape.num_elements(), kObject));
    }
  }
  return bytes;
}

template <typename Int>
class ScalarPlan final : public Plan {
 public:
  explicit ScalarPlan(std::shared_ptr<const ValidModule> module)
      : Plan(std::move(module)), last_uses_(LastUsesOf(this->module())) {}

  int64_t memory_bytes() const override {
    if constexpr (std::is_same_v<Int, FormalInt>) {
      constexpr Int128 kMost = std::numeric_limits<int64_t>::max();
      return static_cast<int64_t>(std::min(FormalBytes(module())[0], kMost));
    }
    return module().arena_bytes();
  }

 protected:
  absl::Status Run(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                   const ExecuteOptions& options) const override {
    std::vector<uint8_t> arena(std::is_same_v<Int, FormalInt> ? 0 : module().arena_bytes());
    FillArena(arena.data(), std::ssize(arena));
    std::vector<Operand<Int>> arguments;
    for (size_t i = 0; i < inputs.size(); ++i) {
      arguments.emplace_back(module().types()[i], inputs[i].storage, inputs[i].bytes.data(), nullptr);
    }
    ValuesOf<Int> values(module(), 0, arena.data(), arguments);
    ScalarRun<Int>(module(), last_uses_, options).RunBody(0, values);
    for (size_t r = 0; r < results.size(); ++r) {
      const ValueId id = module().entry().results[r];
      CopyOut(values.Read(id), module().types()[id].storage(), results[r].data());
    }
    return absl::OkStatus();
  }

 private:
  LastUses last_uses_;
};

}  // namespace

std::unique_ptr<const Plan> MakeFormalPlan(std::shared_ptr<const ValidModule> module) {
  return std::make_unique<ScalarPlan<FormalInt>>(std::move(module));
}

std::unique_ptr<const Plan> MakeReferencePlan(std::shared_ptr<const ValidModule> module) {
  return std::make_unique<ScalarPlan<int64_t>>(std::move(module));
}

std::unique_ptr<const Plan> MakeTrappingPlan(std::shared_ptr<const ValidModule> module) {
  return std::make_unique<ScalarPlan<TrappingInt>>(std::move(module));
}

}  // namespace tally
