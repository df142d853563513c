#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/norms.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

// Before opset 14, training mode shows in the number of outputs.
absl::StatusOr<bool> IsTraining(NodeContext& node) {
  if (node.opset() >= 14) return node.attributes().Bool("training_mode", false);
  return node.num_named_outputs() > 1;
}

}  // namespace

absl::Status ImportBatchNormalization(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(5, 5));
  ASSIGN_OR_RETURN(const float epsilon, node.attributes().Float("epsilon", 1e-5f));
  node.attributes().Ignore("momentum");  // for the running statistics, while training
  if (node.opset() < 9) {
    ASSIGN_OR_RETURN(const bool spatial, node.attributes().Bool("spatial", true));
    if (!spatial) return MakeError(label::model_unsupported_attribute, "spatial = 0 is not imported");
  }
  ASSIGN_OR_RETURN(const bool is_training, IsTraining(node));
  if (is_training && !node.options().batch_norm_training_as_inference) {
    return MakeError(
        label::model_unsupported_attribute,
        "it is in training mode: it normalizes with the statistics of the batch; export the model for "
        "inference, or allow batch_norm_training_as_inference");
  }
  std::vector<Operand> operands;
  for (size_t i = 0; i < 5; ++i) {
    ASSIGN_OR_RETURN(Operand operand, node.Input(i));
    operands.push_back(std::move(operand));
  }
  if (std::ranges::all_of(operands.begin() + 1, operands.end(), &Operand::is_constant))
    return node.Finish(quant::BatchNorm{epsilon}, operands);
  return node.FinishAs(
      ChannelNorm(node, operands[0], {operands[1], operands[2], operands[3], operands[4]}, epsilon));
}

absl::Status ImportLocalResponseNorm(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  if (node.attributes().Find("size") == nullptr) {
    return MakeError(label::model_malformed, "attribute size is missing");
  }
  quant::LocalResponseNorm norm;
  ASSIGN_OR_RETURN(norm.size, node.attributes().Int("size", 1));
  ASSIGN_OR_RETURN(norm.alpha, node.attributes().Float("alpha", 1e-4f));
  ASSIGN_OR_RETURN(norm.beta, node.attributes().Float("beta", 0.75f));
  ASSIGN_OR_RETURN(norm.bias, node.attributes().Float("bias", 1.0f));
  return node.Finish(norm, {x});
}

// Nothing, outside of training or with a ratio of 0.
absl::Status ImportDropout(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, node.opset() >= 12 ? 3 : 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  node.attributes().Ignore("ratio");
  node.attributes().Ignore("seed");
  if (!node.HasInput(2)) return node.FinishAs(x);
  ASSIGN_OR_RETURN(const quant::Int64Tensor* training_mode, node.IntConstant(2));
  if (training_mode->data == std::vector<int64_t>{0}) return node.FinishAs(x);
  double ratio = 0.5;
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(ratio, node.NumberConstant(1));
  }
  if (ratio == 0) return node.FinishAs(x);  // as torchvision writes its stochastic depth
  return MakeError(label::model_unsupported_operand,
                   "it is in training mode; export the model for inference");
}

}  // namespace tally::onnx
