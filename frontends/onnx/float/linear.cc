#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/einsum.h"
#include "frontends/graph/compositions/products.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_node.h"

namespace tally::onnx {
namespace {

absl::Status CheckMatrix(const Operand& operand, const char* name) {
  if (operand.shape().size() == 2) return absl::OkStatus();
  return MakeError(label::model_shape,
                   std::string(name) + " is " + quant::ToString(operand.shape()) + ", not a matrix");
}

// `factor` times input `index`.
absl::StatusOr<Operand> ScaledInput(NodeContext& node, size_t index, float factor, const char* step) {
  ASSIGN_OR_RETURN(Operand x, node.Input(index));
  if (factor == 1.0f) return x;
  if (!x.is_constant()) return Affine(node, x, factor, 0);
  RETURN_IF_ERROR(node.FloatConstant(index).status());
  return Scaled(node, x, factor, step);
}

}  // namespace

// Y = alpha A B + beta C. With a constant B it is a Dense layer, else a MatMul.
absl::Status ImportGemm(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 3));
  ASSIGN_OR_RETURN(Operand a, node.Input(0));
  ASSIGN_OR_RETURN(Operand b, node.Input(1));
  RETURN_IF_ERROR(CheckMatrix(a, "A"));
  RETURN_IF_ERROR(CheckMatrix(b, "B"));
  ASSIGN_OR_RETURN(const GemmForm read, ReadGemm(node));
  if (read.transpose_a) {
    ASSIGN_OR_RETURN(a, Transposed(node, a, "transposed_a"));
  }
  ASSIGN_OR_RETURN(b, ScaledInput(node, 1, read.alpha, "weight"));
  std::optional<Operand> c;
  if (node.HasInput(2) && read.beta != 0.0f) {
    ASSIGN_OR_RETURN(c, ScaledInput(node, 2, read.beta, "bias"));
  }
  return node.FinishAs(AffineProduct(node, a, b, read.transpose_b, c));
}

absl::Status ImportMatMul(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand a, node.Input(0));
  ASSIGN_OR_RETURN(const Operand b, node.Input(1));
  return node.FinishAs(MatrixProduct(node, a, b, 1));
}

absl::Status ImportEinsum(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Operand> operands, node.Inputs());
  ASSIGN_OR_RETURN(const std::string equation, node.attributes().String("equation", ""));
  return node.FinishAs(Einsum(node, equation, operands));
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
      return MakeError(label::model_unsupported_attribute, std::string(name) + " = 1 is not imported");
  }
  if (trans_a) {
    ASSIGN_OR_RETURN(a, Transposed(node, a, "transposed_a"));
  }
  if (trans_b) {
    ASSIGN_OR_RETURN(b, Transposed(node, b, "transposed_b"));
  }
  if (alpha > 0) return node.FinishAs(MatrixProduct(node, a, b, alpha));
  return MakeError(label::model_unsupported_attribute, "an alpha that is not positive is not imported");
}

}  // namespace tally::onnx
