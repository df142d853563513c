#include <limits>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

// ONNX's "no bound" is the largest float, which every float32 is within.
absl::Status FinishClip(NodeContext& node, const Operand& x, float low, float high) {
  if (low <= -kLargest) low = -kInfinity;
  if (high >= kLargest) high = kInfinity;
  if (low == -kInfinity && high == kInfinity) return node.FinishAs(x);
  if (low == 0.0f && high == kInfinity) return node.Finish(quant::Relu{}, {x});
  return node.Finish(quant::Clip{low, high}, {x});
}

// An optional scalar input.
absl::StatusOr<float> Bound(const NodeContext& node, size_t index, float fallback) {
  if (!node.HasInput(index)) return fallback;
  ASSIGN_OR_RETURN(const quant::FloatTensor* bound, node.FloatConstant(index));
  if (bound->data.size() != 1) return MakeError(label::onnx_shape, "a bound of Clip is not a scalar");
  return bound->data[0];
}

}  // namespace

absl::Status ImportAdd(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand a, node.Input(0));
  ASSIGN_OR_RETURN(const Operand b, node.Input(1));
  return node.Finish(quant::Add{}, {a, b});
}

absl::Status ImportRelu(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  return node.Finish(quant::Relu{}, {x});
}

absl::Status ImportClipByAttributes(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const float low, node.attributes().Float("min", -kLargest));
  ASSIGN_OR_RETURN(const float high, node.attributes().Float("max", kLargest));
  return FinishClip(node, x, low, high);
}

absl::Status ImportClip(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const float low, Bound(node, 1, -kLargest));
  ASSIGN_OR_RETURN(const float high, Bound(node, 2, kLargest));
  return FinishClip(node, x, low, high);
}

}  // namespace tally::onnx
