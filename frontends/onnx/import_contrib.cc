// Operators of domain com.microsoft, which ONNX Runtime's optimizer writes where ONNX has several nodes.
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "frontends/onnx/axis.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {
namespace {

using quant::Unary;

// a + b; a where input `index`, b, is left out.
absl::StatusOr<Operand> Plus(NodeContext& node, const Operand& a, size_t index, std::string_view step) {
  if (!node.HasInput(index)) return a;
  ASSIGN_OR_RETURN(const Operand b, node.Input(index));
  return node.Emit(quant::Add{}, {a, b}, step);
}

// Norm(input + skip + bias) * scale + offset, of which `weights` are the inputs, with the sum as output 3.
template <typename Norm>
absl::Status FinishSkipNorm(NodeContext& node, const std::vector<size_t>& weights, size_t bias) {
  RETURN_IF_ERROR(node.CheckInputCount(3, bias + 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(Operand sum, Plus(node, x, bias, "biased"));
  ASSIGN_OR_RETURN(sum, Plus(node, sum, 1, "sum"));
  std::vector<Operand> operands = {sum};
  for (const size_t index : weights) {
    if (!node.HasInput(index)) continue;
    ASSIGN_OR_RETURN(Operand weight, node.Input(index));
    operands.push_back(std::move(weight));
  }
  ASSIGN_OR_RETURN(const float epsilon, node.attributes().Float("epsilon", 1e-12f));
  const auto last = static_cast<int64_t>(sum.shape().size()) - 1;
  RETURN_IF_ERROR(node.Finish(Norm{{last}, epsilon}, operands));
  return node.IsRead(3) ? node.FinishOutputAs(3, sum) : absl::OkStatus();
}

}  // namespace

absl::Status ImportBiasGelu(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand sum, Plus(node, x, 1, "sum"));
  return node.Finish(Unary{RecipeFunction::kGelu}, {sum});
}

absl::Status ImportFastGelu(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand sum, Plus(node, x, 1, "sum"));
  return node.Finish(Unary{RecipeFunction::kGeluTanh}, {sum});
}

// x * sigmoid(alpha x)
absl::Status ImportQuickGelu(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const float alpha, node.attributes().Float("alpha", 1.702f));
  ASSIGN_OR_RETURN(const Operand factor, node.NewConstant(quant::FloatTensor{{1}, {alpha}}, "alpha"));
  ASSIGN_OR_RETURN(const Operand scaled, node.Emit(quant::Mul{}, {x, factor}, "scaled"));
  ASSIGN_OR_RETURN(const Operand gate, node.Emit(Unary{RecipeFunction::kSigmoid}, {scaled}, "gate"));
  return node.Finish(quant::Mul{}, {x, gate});
}

absl::Status ImportSkipLayerNormalization(NodeContext& node) {
  return FinishSkipNorm<quant::LayerNorm>(node, {2, 3}, 4);
}

absl::Status ImportSkipSimplifiedLayerNormalization(NodeContext& node) {
  return FinishSkipNorm<quant::RmsNorm>(node, {2}, 3);
}

absl::Status ImportSimplifiedLayerNormalization(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand scale, node.Input(1));
  const size_t rank = x.shape().size();
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, rank));
  ASSIGN_OR_RETURN(const float epsilon, node.attributes().Float("epsilon", 1e-5f));
  node.attributes().Ignore("stash_type");
  return node.Finish(quant::RmsNorm{AxesFrom(axis, rank), epsilon}, {x, scale});
}

}  // namespace tally::onnx
