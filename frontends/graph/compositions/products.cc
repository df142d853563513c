#include "frontends/graph/compositions/products.h"

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/labels.h"
#include "quant/graph/infer_type.h"

namespace tally::frontend {

using quant::FloatTensor;
using quant::Shape;

namespace {

// Whether C is the same constant row, or number, for all rows of Y, and so a bias of Dense.
bool IsBias(const Operand& c, int64_t num_n) {
  if (!c.is_constant() || c.is_integer() || c.shape().size() > 2) return false;
  const int64_t size = quant::NumElements(c.shape());
  return size == 1 || (size == num_n && c.shape().back() == num_n);
}

// C, of which IsBias holds, as [N].
absl::StatusOr<Operand> AsBias(Emitter& emitter, const Operand& c, int64_t num_n) {
  if (c.shape() == Shape{num_n}) return c;
  if (quant::NumElements(c.shape()) == num_n) return emitter.Emit(quant::Reshape{{num_n}}, {c}, "bias");
  FloatTensor bias{{num_n}, std::get<FloatTensor>(*c.constant).data};
  bias.data.resize(static_cast<size_t>(num_n), bias.data[0]);
  return emitter.NewConstant(std::move(bias), "bias");
}

// A vector becomes a matrix, and its axis of 1 leaves the product.
absl::StatusOr<Operand> ProductWithVector(Emitter& emitter, const Operand& a, const Operand& b,
                                          float factor) {
  if (a.shape().empty() || b.shape().empty()) {
    return MakeError(label::model_shape,
                     "a factor of a matrix product is a scalar; at least 1 axis is right");
  }
  Operand left = a, right = b;
  if (a.shape().size() == 1) {
    ASSIGN_OR_RETURN(left, emitter.Emit(quant::Reshape{{1, a.shape()[0]}}, {a}, "row"));
  }
  if (b.shape().size() == 1) {
    ASSIGN_OR_RETURN(right, emitter.Emit(quant::Reshape{{b.shape()[0], 1}}, {b}, "column"));
  }
  ASSIGN_OR_RETURN(const Operand product, MatrixProduct(emitter, left, right, factor));
  Shape shape = product.shape();
  if (b.shape().size() == 1) shape.pop_back();
  if (a.shape().size() == 1) shape.erase(shape.end() - (b.shape().size() == 1 ? 1 : 2));
  return emitter.Emit(quant::Reshape{std::move(shape)}, {product}, "shaped");
}

}  // namespace

absl::StatusOr<Operand> Transposed(Emitter& emitter, const Operand& matrix, std::string_view step) {
  std::vector<int64_t> order = AxesFrom(0, matrix.shape().size());
  if (order.size() < 2)
    return MakeError(label::model_shape,
                     quant::ToString(matrix.shape()) + " is not a matrix, which transposing wants");
  std::swap(order[order.size() - 2], order.back());
  return emitter.Emit(quant::Transpose{order}, {matrix}, step);
}

absl::StatusOr<Operand> Scaled(Emitter& emitter, const Operand& constant, float factor,
                               std::string_view step) {
  FloatTensor scaled = std::get<FloatTensor>(*constant.constant);
  for (float& element : scaled.data) element *= factor;
  return emitter.NewConstant(std::move(scaled), step);
}

absl::StatusOr<Operand> MatrixProduct(Emitter& emitter, const Operand& a, const Operand& b, float factor) {
  if (a.shape().size() < 2 || b.shape().size() < 2) return ProductWithVector(emitter, a, b, factor);
  if (!b.is_constant() || b.shape().size() != 2 || a.is_constant()) {
    return emitter.Emit(quant::MatMul{factor}, {a, b}, "product");
  }
  ASSIGN_OR_RETURN(Operand weight, Transposed(emitter, b, "weight"));
  if (factor != 1) {
    ASSIGN_OR_RETURN(weight, Scaled(emitter, weight, factor, "scaled"));
  }
  return DenseLayer(emitter, a, weight, std::nullopt);
}

absl::StatusOr<Operand> DenseLayer(Emitter& emitter, const Operand& x, const Operand& weight,
                                   const std::optional<Operand>& bias) {
  std::vector<Operand> operands = {x, weight};
  if (bias.has_value()) operands.push_back(*bias);
  Shape shape = x.shape();
  if (shape.size() == 2) return emitter.Emit(quant::Dense{}, operands, "dense");
  const Shape rows = {quant::NumElements(shape) / shape.back(), shape.back()};
  shape.back() = weight.shape()[0];
  ASSIGN_OR_RETURN(operands[0], emitter.Emit(quant::Reshape{rows}, {x}, "rows"));
  ASSIGN_OR_RETURN(const Operand product, emitter.Emit(quant::Dense{}, operands, "product"));
  return emitter.Emit(quant::Reshape{shape}, {product}, "shaped");
}

absl::StatusOr<Operand> AffineProduct(Emitter& emitter, const Operand& a, const Operand& b,
                                      bool b_is_transposed, const std::optional<Operand>& c) {
  const bool is_dense = b.is_constant();
  Operand factor = b;
  if (b_is_transposed != is_dense) {  // Dense takes [N, K], MatMul [K, N]
    ASSIGN_OR_RETURN(factor, Transposed(emitter, b, "transposed_b"));
  }
  const quant::Op product = is_dense ? quant::Op(quant::Dense{}) : quant::Op(quant::MatMul{});
  if (!c.has_value()) return emitter.Emit(product, {a, factor}, "product");
  const int64_t num_n = factor.shape()[is_dense ? 0 : 1];
  if (is_dense && IsBias(*c, num_n)) {
    ASSIGN_OR_RETURN(const Operand bias, AsBias(emitter, *c, num_n));
    return emitter.Emit(product, {a, factor, bias}, "product");
  }
  ASSIGN_OR_RETURN(const Operand y, emitter.Emit(product, {a, factor}, "product"));
  ASSIGN_OR_RETURN(const quant::ValueType sum, quant::InferType(quant::Add{}, {y.type, c->type}));
  if (sum != y.type)
    return MakeError(label::model_shape, "C " + quant::ToString(c->shape()) + " does not broadcast to Y");
  return emitter.Emit(quant::Add{}, {y, *c}, "sum");
}

}  // namespace tally::frontend
