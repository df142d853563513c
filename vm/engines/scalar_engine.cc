#include "vm/engines/scalar_engine.h"

#include <type_traits>
#include <utility>
#include <vector>

#include "ops/references.h"
#include "vm/engines/arena_values.h"

namespace tally {
namespace {

template <typename Int>
class ScalarPlan final : public Plan {
 public:
  explicit ScalarPlan(std::shared_ptr<const ValidModule> module)
      : Plan(std::move(module)), last_use_(LastUses()) {}

  int64_t memory_bytes() const override {
    if constexpr (std::is_same_v<Int, FormalInt>) return FormalBytes();
    return module().arena_bytes();
  }

 protected:
  std::vector<Tensor> Run(std::span<const TensorView> inputs, const ExecuteOptions& options) const override {
    Values values(module());
    for (size_t i = 0; i < inputs.size(); ++i) values.SetParam(static_cast<ValueId>(i), inputs[i]);
    const auto& body = module().entry().body;
    for (size_t step = 0; step < body.size(); ++step) {
      if (module().constant(module().facts()[step].first_result) != nullptr) continue;  // read in place
      RunStep(body[step], module().facts()[step].first_result, values, options);
      for (const ValueId id : last_use_[step]) values.Release(id);
    }
    std::vector<Tensor> results;
    for (const ValueId id : module().entry().results) results.push_back(ToTensor(values.Read(id), id));
    return results;
  }

 private:
  using Values = std::conditional_t<std::is_same_v<Int, FormalInt>, FormalValues, ArenaValues<Int>>;

  void RunStep(const Instruction& instruction, ValueId first_result, Values& values,
               const ExecuteOptions& options) const {
    std::vector<Operand<Int>> operands;
    for (const ValueId id : instruction.operands) operands.push_back(values.Read(id));
    std::vector<Result<Int>> results;
    const int count = InfoOf(instruction.op).results;
    for (int r = 0; r < count; ++r) results.push_back(values.Write(first_result + r));
    ReferenceOf<Int>(instruction.op)({&instruction.attributes, operands, results});
    if (!options.observer) return;
    for (int r = 0; r < count; ++r) {
      options.observer(first_result + r, ToTensor(values.Read(first_result + r), first_result + r).view());
    }
  }

  Tensor ToTensor(const Operand<Int>& value, ValueId id) const {
    const TensorType& type = module().types()[id];
    Tensor tensor(type.shape, type.storage());
    for (int64_t i = 0; i < value.size(); ++i) {
      StoreElement(type.storage(), tensor.mutable_bytes().data(), i, static_cast<int64_t>(value[i]));
    }
    return tensor;
  }

  // For each step, the values that nothing reads behind it.
  std::vector<std::vector<ValueId>> LastUses() const {
    std::vector<std::vector<ValueId>> by_step(module().entry().body.size());
    for (ValueId id = 0; id < module().types().size(); ++id) {
      const auto last = static_cast<size_t>(module().last_steps()[id]);
      if (last < by_step.size()) by_step[last].push_back(id);
    }
    return by_step;
  }

  // Big integers at their most: every live element an object (limbs of proven values are inline).
  int64_t FormalBytes() const {
    int64_t bytes = 0;
    for (ValueId id = 0; id < module().types().size(); ++id) {
      if (module().constant(id) == nullptr) {
        bytes += module().types()[id].shape.num_elements() * static_cast<int64_t>(sizeof(FormalInt));
      }
    }
    return bytes;
  }

  std::vector<std::vector<ValueId>> last_use_;
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
