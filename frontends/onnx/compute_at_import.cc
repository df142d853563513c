#include "frontends/onnx/compute_at_import.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/onnx/labels.h"

namespace tally::onnx {
namespace {

using quant::DenseTensor;
using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Shape;
using quant::Tensor;

constexpr std::string_view kUnary[] = {"Abs", "Ceil", "Floor", "Neg", "Not", "Sqrt"};
constexpr std::string_view kArithmetic[] = {"Add", "Div", "Max", "Min", "Mod", "Mul", "Sub"};
constexpr std::string_view kLogic[] = {"And",  "Equal",       "Greater", "GreaterOrEqual",
                                       "Less", "LessOrEqual", "Or"};
constexpr size_t kMostOperands = 1024;
constexpr std::string_view kReductions[] = {"ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum"};

template <size_t kCount>
bool IsOneOf(const std::string_view (&names)[kCount], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

// Nothing where the result does not exist, or leaves 64 bits.
std::optional<int64_t> Compute(std::string_view op, int64_t a, int64_t b) {
  int64_t result = 0;
  if (op == "Add") return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "Sub") return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "Mul") return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (op == "Max") return std::max(a, b);
  if (op == "Min") return std::min(a, b);
  if (b == 0 || b == -1) {  // -1 apart, as the least integer has no opposite
    if (b == 0) return std::nullopt;
    return op == "Mod" ? 0 : Compute("Sub", 0, a);
  }
  if (op == "Div") return a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? a % b + b : a % b;  // the sign of the divisor
}

std::optional<float> Compute(std::string_view op, float a, float b) {
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Max") return std::max(a, b);
  if (op == "Min") return std::min(a, b);
  if (op == "Div") return a / b;
  return std::nullopt;
}

template <typename T>
bool Decide(std::string_view op, T a, T b) {
  if (op == "And") return a != 0 && b != 0;
  if (op == "Or") return a != 0 || b != 0;
  if (op == "Equal") return a == b;
  if (op == "Less") return a < b;
  if (op == "LessOrEqual") return a <= b;
  return op == "Greater" ? a > b : a >= b;
}

template <typename T>
std::optional<T> ComputeUnary(std::string_view op, T a) {
  if (op == "Not") return static_cast<T>(a == 0);
  if (op == "Neg") return Compute("Sub", T{0}, a);
  if (op == "Abs") return a < 0 ? Compute("Sub", T{0}, a) : std::optional(a);
  if constexpr (std::is_same_v<T, float>) {
    if (op == "Ceil") return std::ceil(a);
    if (op == "Floor") return std::floor(a);
    return std::sqrt(a);
  }
  return std::nullopt;
}

absl::Status NoResult() {
  return MakeError(label::model_unsupported_operand, "it has no result, or one beyond 64 bits");
}

// All in the shape that they broadcast to.
absl::StatusOr<std::vector<Operand>> Broadcast(NodeContext& node, std::vector<Operand> operands) {
  Shape shape;
  for (const Operand& operand : operands) {
    ASSIGN_OR_RETURN(shape, quant::Broadcast(shape, operand.shape()));
  }
  for (Operand& operand : operands) {
    if (operand.shape() == shape) continue;
    ASSIGN_OR_RETURN(operand, node.Emit(quant::Expand{shape}, {operand}, "expanded"));
  }
  return operands;
}

absl::StatusOr<Tensor> OfOne(std::string_view op, const Tensor& operand) {
  return std::visit(
      [&]<typename T>(DenseTensor<T> x) -> absl::StatusOr<Tensor> {
        for (T& element : x.data) {
          const std::optional<T> result = ComputeUnary(op, element);
          if (!result.has_value()) return NoResult();
          element = *result;
        }
        return x;
      },
      operand);
}

template <typename T>
absl::StatusOr<Tensor> OfTwo(std::string_view op, DenseTensor<T> a, const DenseTensor<T>& b) {
  if (IsOneOf(kLogic, op)) {
    Int64Tensor flags{a.shape, {}};
    for (size_t i = 0; i < a.data.size(); ++i) flags.data.push_back(Decide(op, a.data[i], b.data[i]));
    return flags;
  }
  for (size_t i = 0; i < a.data.size(); ++i) {
    const std::optional<T> result = Compute(op, a.data[i], b.data[i]);
    if (!result.has_value()) return NoResult();
    a.data[i] = *result;
  }
  return a;
}

template <typename T>
absl::StatusOr<Tensor> Choose(const Int64Tensor& flags, DenseTensor<T> a, const DenseTensor<T>& b) {
  for (size_t i = 0; i < a.data.size(); ++i) {
    if (flags.data[i] == 0) a.data[i] = b.data[i];
  }
  return a;
}

// `compute` of two tensors of one element type.
template <typename Function>
absl::StatusOr<Tensor> OfAlike(const Tensor& a, const Tensor& b, Function compute) {
  if (a.index() != b.index()) return MakeError(label::model_malformed, "its operands differ in element type");
  return std::visit(
      [&]<typename T>(const DenseTensor<T>& x) { return compute(x, std::get<DenseTensor<T>>(b)); }, a);
}

// The places of the elements that are not 0, a column for each.
Int64Tensor NonZero(const Tensor& x) {
  const Shape& shape = quant::ShapeOf(x);
  std::vector<std::vector<int64_t>> rows(shape.size());
  std::visit(
      [&](const auto& dense) {
        for (size_t i = 0; i < dense.data.size(); ++i) {
          if (dense.data[i] == 0) continue;
          int64_t rest = static_cast<int64_t>(i);
          for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) {
            rows[axis].push_back(rest % shape[axis]);
          }
        }
      },
      x);
  Int64Tensor places{{static_cast<int64_t>(rows.size()), rows.empty() ? 0 : std::ssize(rows[0])}, {}};
  for (const auto& row : rows) places.data.insert(places.data.end(), row.begin(), row.end());
  return places;
}

// The axes are an attribute, or an input: of ReduceSum since opset 13, of the others since 18.
absl::StatusOr<Tensor> Reduced(NodeContext& node, std::string_view op, const Operand& x) {
  const size_t rank = x.shape().size();
  ASSIGN_OR_RETURN(const bool keep, node.attributes().Bool("keepdims", true));
  ASSIGN_OR_RETURN(auto axes, node.attributes().Ints("axes"));
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(const Int64Tensor* list, node.IntConstant(1));
    axes = list->data;
  }
  ASSIGN_OR_RETURN(const bool none, node.attributes().Bool("noop_with_empty_axes", false));
  std::vector<bool> is_reduced(rank, !none && (!axes.has_value() || axes->empty()));
  for (const int64_t wanted : axes.value_or(std::vector<int64_t>())) {
    ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, rank));
    is_reduced[static_cast<size_t>(axis)] = true;
  }
  Shape kept = x.shape(), shape;
  for (size_t i = 0; i < rank; ++i) {
    if (is_reduced[i]) kept[i] = 1;
    if (keep || !is_reduced[i]) shape.push_back(kept[i]);
  }
  const std::string_view step = op == "ReduceSum"    ? "Add"
                                : op == "ReduceProd" ? "Mul"
                                                     : op.substr(std::string_view("Reduce").size());
  // Where each element of x goes: the places of the result, broadcast to x.
  Int64Tensor numbers{kept, {}};
  for (int64_t i = 0; i < quant::NumElements(kept); ++i) numbers.data.push_back(i);
  ASSIGN_OR_RETURN(const Operand result, node.NewConstant(std::move(numbers), "places"));
  ASSIGN_OR_RETURN(const std::vector<Operand> alike, Broadcast(node, {result, x}));
  const Int64Tensor& places = std::get<Int64Tensor>(*alike[0].constant);
  return std::visit(
      [&]<typename T>(const DenseTensor<T>& dense) -> absl::StatusOr<Tensor> {
        std::vector<std::optional<T>> sums(static_cast<size_t>(quant::NumElements(kept)));
        for (size_t i = 0; i < dense.data.size(); ++i) {
          std::optional<T>& sum = sums[static_cast<size_t>(places.data[i])];
          sum = sum.has_value() ? Compute(step, *sum, dense.data[i]) : dense.data[i];
          if (!sum.has_value()) return NoResult();
        }
        DenseTensor<T> y{shape, {}};
        for (const std::optional<T>& sum : sums) y.data.push_back(*sum);
        return y;
      },
      *x.constant);
}

}  // namespace

bool IsComputedAtImport(const NodeContext& node) {
  const std::string_view op = node.op_type();
  const bool is_computed = IsOneOf(kUnary, op) || IsOneOf(kArithmetic, op) || IsOneOf(kLogic, op) ||
                           IsOneOf(kReductions, op) || op == "Where" || op == "NonZero";
  return is_computed && node.ReadsConstants();
}

absl::Status ComputeAtImport(NodeContext& node) {
  const std::string_view op = node.op_type();
  std::vector<Operand> operands;
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(Operand operand, node.Input(i));
    operands.push_back(std::move(operand));
  }
  const auto tensor = [&](size_t i) -> const Tensor& { return *operands[i].constant; };
  if (IsOneOf(kReductions, op)) {
    RETURN_IF_ERROR(node.CheckInputCount(1, 2));
    ASSIGN_OR_RETURN(Tensor y, Reduced(node, op, operands[0]));
    return node.FinishAsConstant(std::move(y));
  }
  if (op == "NonZero") {
    RETURN_IF_ERROR(node.CheckInputCount(1, 1));
    return node.FinishAsConstant(NonZero(tensor(0)));
  }
  if (op == "Where") {
    RETURN_IF_ERROR(node.CheckInputCount(3, 3));
    RETURN_IF_ERROR(node.IntConstant(0).status());
    ASSIGN_OR_RETURN(operands, Broadcast(node, std::move(operands)));
    const Int64Tensor& flags = std::get<Int64Tensor>(tensor(0));
    ASSIGN_OR_RETURN(Tensor y, OfAlike(tensor(1), tensor(2),
                                       [&](const auto& a, const auto& b) { return Choose(flags, a, b); }));
    return node.FinishAsConstant(std::move(y));
  }
  if (IsOneOf(kUnary, op)) {
    RETURN_IF_ERROR(node.CheckInputCount(1, 1));
    ASSIGN_OR_RETURN(Tensor y, OfOne(op, tensor(0)));
    return node.FinishAsConstant(std::move(y));
  }
  if (op == "Mod") {
    ASSIGN_OR_RETURN(const bool fmod, node.attributes().Bool("fmod", false));
    if (fmod) return MakeError(label::model_unsupported_attribute, "fmod = 1 is not imported");
  }
  RETURN_IF_ERROR(node.CheckInputCount(op == "Max" || op == "Min" ? 1 : 2,
                                       op == "Max" || op == "Min" ? kMostOperands : 2));
  ASSIGN_OR_RETURN(operands, Broadcast(node, std::move(operands)));
  Tensor y = tensor(0);
  for (size_t i = 1; i < operands.size(); ++i) {
    ASSIGN_OR_RETURN(y, OfAlike(y, tensor(i), [&](const auto& a, const auto& b) { return OfTwo(op, a, b); }));
  }
  return node.FinishAsConstant(std::move(y));
}

}  // namespace tally::onnx
