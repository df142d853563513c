#include "frontends/onnx/exact/fold.h"

#include <algorithm>

#include "ops/op_rules.h"
#include "ops/reference.h"
#include "ops/references.h"

namespace tally::onnx {
namespace {

bool IsCheap(const Composition& c) {
  WideGas gas = 0;
  for (const Composition::Step& step : c.steps()) {
    std::vector<TensorType> operands, results;
    for (const Value operand : step.operands) operands.push_back(c.type(operand));
    for (int i = 0; i < step.num_results; ++i) results.push_back(c.type({step.first_result.id + i}));
    const auto small = [](const TensorType& type) { return type.shape.num_elements() <= kMaxFoldedElements; };
    if (!std::ranges::all_of(operands, small) || !std::ranges::all_of(results, small)) return false;
    gas += RulesOf(step.op).gas({&step.attributes, operands, results});
    if (gas > kMaxFoldedGas) return false;
  }
  return true;
}

}  // namespace

bool IsSmallConstant(const Composition& c, Value value) {
  const TensorView* constant = c.constant(value);
  return constant != nullptr && constant->shape.num_elements() <= kMaxFoldedElements;
}

std::optional<std::vector<Tensor>> Evaluate(const Composition& c, std::span<const Value> results) {
  if (!IsCheap(c)) return std::nullopt;
  std::vector<Tensor> computed(static_cast<size_t>(c.num_values()));
  const auto view = [&](Value value) {
    const TensorView* constant = c.constant(value);
    return constant != nullptr ? *constant : computed[value.id].view();
  };
  for (const Composition::Step& step : c.steps()) {
    std::vector<Operand<int64_t>> operands;
    std::vector<Result<int64_t>> outputs;
    for (const Value operand : step.operands) {
      const TensorView bytes = view(operand);
      operands.emplace_back(c.type(operand), bytes.storage, bytes.bytes.data(), nullptr);
    }
    for (int i = 0; i < step.num_results; ++i) {
      const TensorType& type = c.type({step.first_result.id + i});
      Tensor& tensor = computed[step.first_result.id + i];
      tensor = Tensor(type.shape, type.storage());
      outputs.emplace_back(type, tensor.mutable_bytes().data(), nullptr);
    }
    ReferenceOf<int64_t>(step.op)({&step.attributes, operands, outputs});
  }
  std::vector<Tensor> tensors;
  for (const Value result : results) {
    const TensorView bytes = view(result);
    if (bytes.shape.num_elements() > kMaxFoldedElements) return std::nullopt;
    tensors.push_back(Tensor::Copy(bytes, bytes.storage));
  }
  return tensors;
}

}  // namespace tally::onnx
