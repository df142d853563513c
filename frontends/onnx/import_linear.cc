#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/axis.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"
#include "quant/graph/infer_type.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Shape;

absl::StatusOr<Operand> Scaled(NodeContext& node, const FloatTensor& tensor, float factor,
                               std::string_view step) {
  FloatTensor scaled = tensor;
  for (float& element : scaled.data) element *= factor;
  return node.NewConstant(std::move(scaled), step);
}

// With its last two axes swapped.
absl::StatusOr<Operand> Transposed(NodeContext& node, const Operand& matrix, std::string_view step) {
  std::vector<int64_t> order = AxesFrom(0, matrix.shape().size());
  if (order.size() < 2)
    return MakeError(label::onnx_shape, quant::ToString(matrix.shape()) + " is no matrix to transpose");
  std::swap(order[order.size() - 2], order.back());
  return node.Emit(quant::Transpose{order}, {matrix}, step);
}

// beta * C, for a constant C; C itself, for beta = 1.
absl::StatusOr<Operand> ScaledC(NodeContext& node, float beta) {
  ASSIGN_OR_RETURN(Operand c, node.Input(2));
  if (beta == 1.0f) return c;
  ASSIGN_OR_RETURN(const FloatTensor* tensor, node.FloatConstant(2));
  return Scaled(node, *tensor, beta, "bias");
}

// Whether C is the same constant row, or number, for all rows of Y, and so a bias of Dense.
bool IsBias(const Operand& c, int64_t num_n) {
  if (!c.is_constant() || c.type.element != quant::ElementType::kFloat32 || c.shape().size() > 2)
    return false;
  const int64_t size = quant::NumElements(c.shape());
  return size == 1 || (size == num_n && c.shape().back() == num_n);
}

// C, of which IsBias holds, as [N].
absl::StatusOr<Operand> AsBias(NodeContext& node, const Operand& c, int64_t num_n) {
  if (c.shape() == Shape{num_n}) return c;
  if (quant::NumElements(c.shape()) == num_n) return node.Emit(quant::Reshape{{num_n}}, {c}, "bias");
  FloatTensor bias{{num_n}, std::get<FloatTensor>(*c.constant).data};
  bias.data.resize(static_cast<size_t>(num_n), bias.data[0]);
  return node.NewConstant(std::move(bias), "bias");
}

absl::Status CheckMatrix(const Operand& operand, const char* name) {
  if (operand.shape().size() == 2) return absl::OkStatus();
  return MakeError(label::onnx_shape,
                   std::string(name) + " is " + quant::ToString(operand.shape()) + ", not a matrix");
}

// factor * A B: with a constant matrix B a Dense layer over the rows of A, whatever A's rank.
absl::Status FinishProduct(NodeContext& node, const Operand& a, const Operand& b, float factor) {
  if (a.shape().size() < 2 || b.shape().size() < 2) {
    return MakeError(label::onnx_shape,
                     "products with vectors are not imported: " + quant::ToString(a.shape()) + " times " +
                         quant::ToString(b.shape()));
  }
  if (!b.is_constant() || b.shape().size() != 2 || a.is_constant())
    return node.Finish(quant::MatMul{factor}, {a, b});

  ASSIGN_OR_RETURN(Operand weight, Transposed(node, b, "weight"));
  if (factor != 1) {
    ASSIGN_OR_RETURN(weight, Scaled(node, std::get<FloatTensor>(*weight.constant), factor, "scaled"));
  }
  if (a.shape().size() == 2) return node.Finish(quant::Dense{}, {a, weight});
  Shape shape = a.shape();
  const Shape rows = {quant::NumElements(shape) / shape.back(), shape.back()};
  shape.back() = b.shape()[1];
  ASSIGN_OR_RETURN(const Operand flat, node.Emit(quant::Reshape{rows}, {a}, "rows"));
  ASSIGN_OR_RETURN(const Operand product, node.Emit(quant::Dense{}, {flat, weight}, "product"));
  return node.Finish(quant::Reshape{shape}, {product});
}

}  // namespace

// Y = alpha A B + beta C. With a constant B it is a Dense layer, else a MatMul.
absl::Status ImportGemm(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 3));
  ASSIGN_OR_RETURN(Operand a, node.Input(0));
  ASSIGN_OR_RETURN(Operand b, node.Input(1));
  RETURN_IF_ERROR(CheckMatrix(a, "A"));
  RETURN_IF_ERROR(CheckMatrix(b, "B"));
  ASSIGN_OR_RETURN(const float alpha, node.attributes().Float("alpha", 1.0f));
  ASSIGN_OR_RETURN(const float beta, node.attributes().Float("beta", 1.0f));
  ASSIGN_OR_RETURN(const bool trans_a, node.attributes().Bool("transA", false));
  ASSIGN_OR_RETURN(const bool trans_b, node.attributes().Bool("transB", false));

  if (trans_a) {
    ASSIGN_OR_RETURN(a, Transposed(node, a, "transposed_a"));
  }
  if (alpha != 1.0f) {
    ASSIGN_OR_RETURN(const FloatTensor* tensor, node.FloatConstant(1));
    ASSIGN_OR_RETURN(b, Scaled(node, *tensor, alpha, "weight"));
  }
  const bool is_dense = b.is_constant();
  if (trans_b != is_dense) {  // Dense takes [N, K], MatMul [K, N]
    ASSIGN_OR_RETURN(b, Transposed(node, b, "transposed_b"));
  }
  const quant::Op product = is_dense ? quant::Op(quant::Dense{}) : quant::Op(quant::MatMul{});
  if (!node.HasInput(2) || beta == 0.0f) return node.Finish(product, {a, b});

  ASSIGN_OR_RETURN(const Operand c, ScaledC(node, beta));
  const int64_t num_n = b.shape()[is_dense ? 0 : 1];
  if (is_dense && IsBias(c, num_n)) {
    ASSIGN_OR_RETURN(const Operand bias, AsBias(node, c, num_n));
    return node.Finish(product, {a, b, bias});
  }
  ASSIGN_OR_RETURN(const Operand y, node.Emit(product, {a, b}, "product"));
  ASSIGN_OR_RETURN(const quant::ValueType sum, quant::InferType(quant::Add{}, {y.type, c.type}));
  if (sum != y.type)
    return MakeError(label::onnx_shape, "C " + quant::ToString(c.shape()) + " does not broadcast to Y");
  return node.Finish(quant::Add{}, {y, c});
}

absl::Status ImportMatMul(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand a, node.Input(0));
  ASSIGN_OR_RETURN(const Operand b, node.Input(1));
  return FinishProduct(node, a, b, 1);
}

// alpha A B, of matrices that may be transposed.
absl::Status ImportFusedMatMul(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(Operand a, node.Input(0));
  ASSIGN_OR_RETURN(Operand b, node.Input(1));
  ASSIGN_OR_RETURN(const float alpha, node.attributes().Float("alpha", 1.0f));
  ASSIGN_OR_RETURN(const bool trans_a, node.attributes().Bool("transA", false));
  ASSIGN_OR_RETURN(const bool trans_b, node.attributes().Bool("transB", false));
  for (const char* name : {"transBatchA", "transBatchB"}) {
    ASSIGN_OR_RETURN(const bool moves_batch, node.attributes().Bool(name, false));
    if (moves_batch)
      return MakeError(label::onnx_unsupported_attribute, std::string(name) + " = 1 is not imported");
  }
  if (trans_a) {
    ASSIGN_OR_RETURN(a, Transposed(node, a, "transposed_a"));
  }
  if (trans_b) {
    ASSIGN_OR_RETURN(b, Transposed(node, b, "transposed_b"));
  }
  if (alpha > 0) return FinishProduct(node, a, b, alpha);
  return MakeError(label::onnx_unsupported_attribute, "an alpha that is not positive is not imported");
}

}  // namespace tally::onnx
