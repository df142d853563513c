#include "engines/scalar/scalar_engine.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/wide.h"
#include "engines/scalar/arena_values.h"
#include "engines/scalar/scalar_run.h"
#include "engines/shared/fill_arena.h"

namespace tally {
namespace {

template <typename Int>
using ValuesOf = std::conditional_t<std::is_same_v<Int, FormalInt>, FormalValues, ArenaValues<Int>>;

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

// Big integers at their most, by function: every element an object (limbs of proven values are inline). The
// functions that an instruction names run one after another; what else it needs has at least a byte for each
// element.
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
    const Observer* const observer = options.observer ? &options.observer : nullptr;
    if (!ScalarRun<Int, ValuesOf<Int>>(module(), &last_uses_, observer, options.cancellation)
             .RunBody(0, values)) {
      return NotCancelled(options.cancellation);
    }
    for (size_t r = 0; r < results.size(); ++r) {
      const ValueId id = module().entry().results[r];
      values.Read(id).CopyTo(module().types()[id].storage(), results[r].data());
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
