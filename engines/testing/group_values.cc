#include "engines/testing/group_values.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/rescale.h"
#include "engines/check/function_evaluator.h"

namespace tally {
namespace {

Tensor Evaluate(const FunctionView& function, size_t step, const std::vector<Tensor>& operands) {
  std::vector<TensorView> views;
  for (const Tensor& operand : operands) views.push_back(operand.view());
  return std::move(EvaluateInstruction(function.module(), function.function(), step, views)[0]);
}

// One element after the sum, of column `column`; `residual` is read where the group has one.
int64_t AfterSum(const FunctionView& function, const FusionGroup& group, int64_t sum, int64_t column,
                 int64_t residual) {
  int64_t y = sum;
  if (group.bias) y += function.constant(*group.bias)->at(column);
  if (group.scaled) y = Rescale<int64_t>(y, group.scale.size() == 1 ? group.scale[0] : group.scale[column]);
  if (group.residual) {
    const ResidualScale& r = group.residual_scale;
    const int64_t terms = y * r.y_multiplier + residual * r.r_multiplier + r.addend;
    y = std::clamp<int64_t>(terms >> r.shift, r.lo, r.hi);
  }
  return group.table.empty() ? y : group.table[y + 128];
}

}  // namespace

Tensor ComputeGroup(const FunctionView& function, const FusionGroup& group, std::vector<Tensor> operands) {
  std::optional<Tensor> residual;
  if (group.residual) {
    residual = std::move(operands.back());
    operands.pop_back();
  }
  const Tensor sums = Evaluate(function, group.gemm, operands);
  const Shape& shape = sums.shape();
  const bool product = function.instruction(group.gemm).op == Opcode::kMatmul;
  const int64_t columns = product ? shape[shape.rank() - 1] : shape[1];
  // a column's, side by side.
  const int64_t positions = product ? 1 : shape.num_elements() / (shape[0] * columns);
  // A view among the instructions keeps the order of the elements.
  const TensorType& type = function.type(function.result(group.last));
  Tensor y(type.shape, type.storage());
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    StoreElement(y.storage(), y.mutable_bytes().data(), i,
                 AfterSum(function, group, sums.view().at(i), i / positions % columns,
                          residual ? residual->view().at(i) : 0));
  }
  return group.pool ? Evaluate(function, *group.pool, {y}) : y;
}

}  // namespace tally
