#include "frontends/graph/fold.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "frontends/graph/labels.h"
#include "quant/graph/float_executor.h"
#include "quant/tensor/broadcast_index.h"

namespace tally::frontend {
namespace {

using quant::Int64Tensor;

const Int64Tensor* IntegersOf(const Operand& operand) {
  return std::get_if<Int64Tensor>(operand.constant.get());
}

bool HasResults(const quant::IntegerArithmetic& op, const Int64Tensor& a, const Int64Tensor& b,
                const quant::Shape& shape) {
  const std::vector<int64_t> a_index = quant::BroadcastIndex(a.shape, shape);
  const std::vector<int64_t> b_index = quant::BroadcastIndex(b.shape, shape);
  for (size_t i = 0; i < a_index.size(); ++i) {
    if (!op.Exactly(a.data[a_index[i]], b.data[b_index[i]]).has_value()) return false;
  }
  return true;
}

constexpr double kMost = 0x1p62;  // a sum or product below this in doubles fits 64 bits

bool SumsFit(const Int64Tensor& x) {
  double sum = 0;
  for (const int64_t v : x.data) sum += std::abs(static_cast<double>(v));
  return sum < kMost;
}

bool ProductsFit(const Int64Tensor& x) {
  double product = 1;
  for (const int64_t v : x.data) product *= std::max(1.0, std::abs(static_cast<double>(v)));
  return product < kMost;
}

bool StaysInteger(const quant::Op& op, const std::vector<Operand>& operands, const quant::ValueType& result) {
  const Int64Tensor* x = operands.empty() ? nullptr : IntegersOf(operands[0]);
  if (x == nullptr) return true;
  if (const auto* arithmetic = std::get_if<quant::IntegerArithmetic>(&op)) {
    return HasResults(*arithmetic, *x, *IntegersOf(operands[1]), result.shape);
  }
  if (std::holds_alternative<quant::ReduceProduct>(op)) return ProductsFit(*x);
  const bool sums =
      std::holds_alternative<quant::ReduceSum>(op) || std::holds_alternative<quant::CumulativeSum>(op);
  return !sums || SumsFit(*x);
}

}  // namespace

bool Folds(const quant::Op& op, const std::vector<Operand>& operands) {
  const quant::OpTraits& traits = quant::TraitsOf(op);
  return (traits.moves || traits.folds) &&
         std::ranges::all_of(operands, [](const Operand& o) { return o.is_constant(); });
}

// No more than 2^31 for each, so it stays in 64 bits.
int64_t WorkOf(const quant::Op& op, const std::vector<Operand>& operands, const quant::ValueType& result) {
  const int64_t size = quant::NumElements(result.shape);
  return std::holds_alternative<quant::MatMul>(op) ? size * operands[0].shape().back() : size;
}

absl::StatusOr<quant::Tensor> Fold(const quant::Op& op, const std::vector<Operand>& operands,
                                   const quant::ValueType& result) {
  if (!StaysInteger(op, operands, result)) {
    return MakeError(label::model_unsupported_operand, "it has no result, or one beyond 64 bits");
  }
  std::vector<const quant::Tensor*> tensors;
  for (const Operand& operand : operands) tensors.push_back(operand.constant.get());
  return quant::EvaluateNode(op, tensors, result);
}

}  // namespace tally::frontend
