#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {
namespace {

absl::StatusOr<std::vector<Operand>> AllInputs(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, quant::kMaxValues));
  std::vector<Operand> inputs;
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(Operand input, node.Input(i));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

absl::Status FinishOfAll(NodeContext& node, Pairwise f) {
  ASSIGN_OR_RETURN(const std::vector<Operand> inputs, AllInputs(node));
  return node.FinishAs(OfAll(node, inputs, f));
}

// What is added may be a mask.
absl::Status FinishOfTwo(NodeContext& node, Pairwise f) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand a, node.SaturatedInput(0));
  ASSIGN_OR_RETURN(const Operand b, node.SaturatedInput(1));
  return node.FinishAs(f(node, a, b));
}

absl::StatusOr<std::optional<Operand>> OptionalInput(NodeContext& node, size_t index) {
  if (!node.HasInput(index)) return std::nullopt;
  return node.Input(index);
}

}  // namespace

absl::Status ImportAdd(NodeContext& node) { return FinishOfTwo(node, Sum); }
absl::Status ImportMul(NodeContext& node) { return FinishOfTwo(node, Product); }
absl::Status ImportSub(NodeContext& node) { return FinishOfTwo(node, Difference); }
absl::Status ImportMax(NodeContext& node) { return FinishOfAll(node, Larger); }
absl::Status ImportMin(NodeContext& node) { return FinishOfAll(node, Smaller); }
absl::Status ImportSum(NodeContext& node) { return FinishOfAll(node, Sum); }

absl::Status ImportDiv(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand a, node.Input(0));
  ASSIGN_OR_RETURN(const Operand b, node.Input(1));
  return node.FinishAs(Quotient(node, a, b));
}

absl::Status ImportMean(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Operand> inputs, AllInputs(node));
  return node.FinishAs(MeanOf(node, inputs));
}

absl::Status ImportPRelu(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand slope, node.Input(1));
  return node.FinishAs(ParametricRelu(node, x, slope));
}

absl::Status ImportRelu(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.Finish(quant::Relu{}, {x});
}

absl::Status ImportClipByAttributes(NodeContext& node) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const float low, node.attributes().Float("min", -kLargest));
  ASSIGN_OR_RETURN(const float high, node.attributes().Float("max", kLargest));
  return node.FinishAs(Clip(node, x, low, high));
}

absl::Status ImportClip(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const std::optional<Operand> low, OptionalInput(node, 1));
  ASSIGN_OR_RETURN(const std::optional<Operand> high, OptionalInput(node, 2));
  return node.FinishAs(Clip(node, x, low, high));
}

}  // namespace tally::onnx
