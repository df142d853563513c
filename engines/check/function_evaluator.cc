#include "engines/check/function_evaluator.h"

#include <deque>
#include <map>
#include <optional>
#include <tuple>

#include "engines/scalar/scalar_run.h"

namespace tally {
namespace {

// Each value in memory of its own, until the call is over.
class KeptValues {
 public:
  KeptValues(const ValidModule& module, size_t function, uint8_t*,
             std::span<const Operand<int64_t>> arguments)
      : module_(module), function_(function), arguments_(arguments), values_(facts().types.size()) {}

  Operand<int64_t> Read(ValueId id) const {
    if (id < arguments_.size()) return arguments_[id];
    const TensorType& type = facts().types[id];
    if (const auto given = given_.find(id); given != given_.end()) {
      return {type, given->second.storage, given->second.bytes.data(), nullptr};
    }
    if (const TensorView* constant = module_.constant(function_, id)) {
      return {type, constant->storage, constant->bytes.data(), nullptr};
    }
    return {type, type.storage(), values_[id]->bytes().data(), nullptr};
  }
  Result<int64_t> Write(ValueId id) {
    const TensorType& type = facts().types[id];
    values_[id].emplace(type.shape, type.storage());
    return {type, values_[id]->mutable_bytes().data(), nullptr};
  }
  void Release(ValueId) {}
  void Set(ValueId id, const TensorView& value) { given_[id] = value; }

  uint8_t* Scratch(size_t) const { return nullptr; }
  Result<int64_t> Allocate(size_t, int64_t, const TensorType& type) {
    return {type, scratch_.emplace_back(type.shape, type.storage()).mutable_bytes().data(), nullptr};
  }

  std::vector<std::optional<Tensor>> Take() { return std::move(values_); }

 private:
  const FunctionFacts& facts() const { return module_.functions()[function_]; }

  const ValidModule& module_;
  size_t function_;
  std::span<const Operand<int64_t>> arguments_;
  std::vector<std::optional<Tensor>> values_;
  std::map<ValueId, TensorView> given_;  // in the place of those
  std::deque<Tensor> scratch_;
};

}  // namespace

std::vector<std::optional<Tensor>> EvaluateFunction(const ValidModule& module, size_t function,
                                                    std::span<const Operand<int64_t>> arguments) {
  KeptValues values(module, function, nullptr, arguments);
  std::ignore = ScalarRun<int64_t, KeptValues>(module).RunBody(function, values);
  std::vector<std::optional<Tensor>> all = values.Take();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const TensorType& type = module.functions()[function].types[i];
    arguments[i].CopyTo(type.storage(), all[i].emplace(type.shape, type.storage()).mutable_bytes().data());
  }
  return all;
}

std::vector<Tensor> EvaluateInstruction(const ValidModule& module, size_t function, size_t step,
                                        std::span<const TensorView> operands) {
  KeptValues values(module, function, nullptr, {});
  const Instruction& instruction = module.module().functions[function].body[step];
  for (size_t i = 0; i < operands.size(); ++i) values.Set(instruction.operands[i], operands[i]);
  std::ignore = ScalarRun<int64_t, KeptValues>(module).RunStep(function, step, values);
  std::vector<std::optional<Tensor>> all = values.Take();
  const InstructionFacts& facts = module.functions()[function].instructions[step];
  std::vector<Tensor> results;
  for (int r = 0; r < facts.num_results; ++r) results.push_back(*std::move(all[facts.first_result + r]));
  return results;
}

}  // namespace tally
