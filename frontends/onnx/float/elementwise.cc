#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_node.h"

namespace tally::onnx {
namespace {

absl::StatusOr<std::vector<Operand>> AllInputs(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, quant::kMaxValues));
  return node.Inputs();
}

// Integers of 8 and 16 bits too, which no extreme leaves.
absl::Status FinishExtreme(NodeContext& node, Pairwise f) {
  RETURN_IF_ERROR(node.CheckInputCount(1, quant::kMaxValues));
  std::vector<Operand> inputs;
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(Operand input, node.IntegerInput(i));
    inputs.push_back(std::move(input));
  }
  return node.FinishAs(OfAll(node, inputs, f));
}

// The addend may be a mask.
absl::Status FinishOfTwo(NodeContext& node, Pairwise f) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand a, node.SaturatedInput(0));
  ASSIGN_OR_RETURN(const Operand b, node.SaturatedInput(1));
  return node.FinishAs(f(node, a, b));
}

constexpr std::array<std::string_view, 2> kShiftDirections = {"RIGHT", "LEFT"};

absl::StatusOr<std::optional<Operand>> OptionalInput(NodeContext& node, size_t index) {
  if (!node.HasInput(index)) return std::nullopt;
  return node.Input(index);
}

}  // namespace

absl::Status ImportAdd(NodeContext& node) { return FinishOfTwo(node, Sum); }
absl::Status ImportMul(NodeContext& node) { return FinishOfTwo(node, Product); }
absl::Status ImportSub(NodeContext& node) { return FinishOfTwo(node, Difference); }
absl::Status ImportMax(NodeContext& node) { return FinishExtreme(node, Larger); }
absl::Status ImportMin(NodeContext& node) { return FinishExtreme(node, Smaller); }
absl::Status ImportSum(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Operand> inputs, AllInputs(node));
  return node.FinishAs(OfAll(node, inputs, Sum));
}

absl::Status ImportDiv(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand a, node.Input(0));
  ASSIGN_OR_RETURN(const Operand b, node.Input(1));
  return node.FinishAs(Quotient(node, a, b));
}

absl::Status ImportMod(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand a, node.IntegerInput(0));
  ASSIGN_OR_RETURN(const Operand b, node.IntegerInput(1));
  ASSIGN_OR_RETURN(const bool fmod, node.attributes().Bool("fmod", false));
  return node.FinishAs(RemainderOf(node, a, b, /*like_dividend=*/fmod));
}

// Bits that leave the word are lost; a shift by its width or more leaves none.
absl::Status ImportBitShift(NodeContext& node) {
  using Kind = quant::IntegerArithmetic::Kind;
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const std::optional<Codes> codes, node.CodesOfInputs());
  ASSIGN_OR_RETURN(const Operand x, node.IntegerInput(0));
  ASSIGN_OR_RETURN(const Operand amount, node.IntegerInput(1));
  ASSIGN_OR_RETURN(const bool left, ReadChoice<bool>(node, "direction", "", kShiftDirections));
  if (!codes.has_value()) {
    return MakeError(label::model_unsupported_type, "a shift of integers of 32 or 64 bits among floats");
  }
  const int64_t most = codes->type.bits;
  ASSIGN_OR_RETURN(const Operand bound, node.NewConstant(most, "most"));
  ASSIGN_OR_RETURN(const Operand bits, Smaller(node, amount, bound));
  if (!left) return node.Finish(quant::IntegerArithmetic{Kind::kShiftRight}, {x, bits});
  ASSIGN_OR_RETURN(const Operand shifted,
                   node.Emit(quant::IntegerArithmetic{Kind::kShiftLeft}, {x, bits}, "shifted"));
  ASSIGN_OR_RETURN(const Operand mask, node.NewConstant((int64_t{1} << most) - 1, "mask"));
  return node.Finish(quant::IntegerArithmetic{Kind::kBitAnd}, {shifted, mask});
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
