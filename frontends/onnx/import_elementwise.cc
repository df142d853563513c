#include <limits>
#include <optional>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {
namespace {

using Kind = quant::IntegerArithmetic::Kind;

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

// The number of an optional bound, where it is a constant of floats or left out.
absl::StatusOr<std::optional<float>> KnownBound(const NodeContext& node, size_t index, float fallback) {
  if (!node.HasInput(index)) return fallback;
  ASSIGN_OR_RETURN(const Operand bound, node.Input(index));
  if (quant::NumElements(bound.shape()) != 1)
    return MakeError(label::onnx_shape, "a bound of Clip is not a scalar");
  if (!bound.is_constant() || bound.type.element != quant::ElementType::kFloat32) return std::nullopt;
  ASSIGN_OR_RETURN(const quant::FloatTensor* known, node.FloatConstant(index));
  return known->data[0];
}

// The element of a constant that broadcasts to any shape of the rank of `other`.
std::optional<float> ScalarOf(const Operand& operand, const Operand& other) {
  if (!operand.is_constant() || operand.shape().size() > other.shape().size()) return std::nullopt;
  const auto* floats = std::get_if<quant::FloatTensor>(operand.constant.get());
  if (floats == nullptr || floats->data.size() != 1) return std::nullopt;
  return floats->data[0];
}

// op(op(x0, x1), x2), ..; `finish` makes the last node.
template <typename Finish>
absl::Status Fold(NodeContext& node, const quant::Op& op, Finish finish) {
  RETURN_IF_ERROR(node.CheckInputCount(1, quant::kMaxValues));
  ASSIGN_OR_RETURN(Operand folded, node.Input(0));
  const size_t last = node.num_inputs() - 1;
  for (size_t i = 1; i < last; ++i) {
    ASSIGN_OR_RETURN(const Operand x, node.Input(i));
    ASSIGN_OR_RETURN(folded, node.Emit(op, {folded, x}, "of" + std::to_string(i + 1)));
  }
  if (last == 0) return node.FinishAs(folded);
  ASSIGN_OR_RETURN(const Operand x, node.Input(last));
  return finish(folded, x);
}

bool IsInteger(const Operand& x) { return x.type.element == quant::ElementType::kInt64; }

// `op`, or what it is of integers. What is added may be a mask.
absl::Status FinishArithmetic(NodeContext& node, quant::Op op, quant::IntegerArithmetic::Kind of_integers) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand a, node.SaturatedInput(0));
  ASSIGN_OR_RETURN(const Operand b, node.SaturatedInput(1));
  if (IsInteger(a) && IsInteger(b)) return node.Finish(quant::IntegerArithmetic{of_integers}, {a, b});
  return node.Finish(std::move(op), {a, b});
}

// The largest or the smallest of integers, or with `op` of floats.
absl::StatusOr<quant::Op> ExtremeOf(NodeContext& node, quant::Op op,
                                    quant::IntegerArithmetic::Kind of_integers) {
  RETURN_IF_ERROR(node.CheckInputCount(1, quant::kMaxValues));
  ASSIGN_OR_RETURN(const Operand first, node.Input(0));
  return IsInteger(first) ? quant::IntegerArithmetic{of_integers} : op;
}

}  // namespace

absl::Status ImportAdd(NodeContext& node) { return FinishArithmetic(node, quant::Add{}, Kind::kAdd); }
absl::Status ImportMul(NodeContext& node) { return FinishArithmetic(node, quant::Mul{}, Kind::kMul); }
absl::Status ImportSub(NodeContext& node) { return FinishArithmetic(node, quant::Sub{}, Kind::kSub); }

// By a constant: times its reciprocal.
absl::Status ImportDiv(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand b, node.Input(1));
  if (!b.is_constant() || b.type.element != quant::ElementType::kFloat32)
    return node.FinishPair(quant::Div{});
  ASSIGN_OR_RETURN(const Operand a, node.Input(0));
  auto reciprocals = std::get<quant::FloatTensor>(*b.constant);
  for (float& element : reciprocals.data) element = 1 / element;
  ASSIGN_OR_RETURN(const Operand factor, node.NewConstant(std::move(reciprocals), "reciprocal"));
  return node.Finish(quant::Mul{}, {a, factor});
}

// With a number, it is a bound.
absl::Status ImportMax(NodeContext& node) {
  ASSIGN_OR_RETURN(const quant::Op op, ExtremeOf(node, quant::Max{}, Kind::kMax));
  return Fold(node, op, [&](const Operand& a, const Operand& b) {
    if (const auto low = ScalarOf(b, a)) return FinishClip(node, a, *low, kInfinity);
    if (const auto low = ScalarOf(a, b)) return FinishClip(node, b, *low, kInfinity);
    return node.Finish(op, {a, b});
  });
}

absl::Status ImportMin(NodeContext& node) {
  ASSIGN_OR_RETURN(const quant::Op op, ExtremeOf(node, quant::Min{}, Kind::kMin));
  return Fold(node, op, [&](const Operand& a, const Operand& b) {
    if (const auto high = ScalarOf(b, a)) return FinishClip(node, a, -kInfinity, *high);
    if (const auto high = ScalarOf(a, b)) return FinishClip(node, b, -kInfinity, *high);
    return node.Finish(op, {a, b});
  });
}

absl::Status ImportSum(NodeContext& node) {
  return Fold(node, quant::Add{}, [&](const Operand& a, const Operand& b) {
    return node.Finish(quant::Add{}, {a, b});
  });
}

absl::Status ImportMean(NodeContext& node) {
  return Fold(node, quant::Add{}, [&](const Operand& a, const Operand& b) -> absl::Status {
    ASSIGN_OR_RETURN(const Operand sum, node.Emit(quant::Add{}, {a, b}, "sum"));
    const float share = 1 / static_cast<float>(node.num_inputs());
    ASSIGN_OR_RETURN(const Operand factor, node.NewConstant(quant::FloatTensor{{}, {share}}, "share"));
    return node.Finish(quant::Mul{}, {sum, factor});
  });
}

// max(x, 0) + slope * min(x, 0); with one slope for all it is a function of one value.
absl::Status ImportPRelu(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand slope, node.Input(1));
  if (const auto below = ScalarOf(slope, x)) return node.Finish(quant::Slopes{*below, 1}, {x});
  ASSIGN_OR_RETURN(const Operand rise, node.Emit(quant::Relu{}, {x}, "rise"));
  ASSIGN_OR_RETURN(const Operand negative, node.Emit(quant::Clip{-kInfinity, 0}, {x}, "negative"));
  ASSIGN_OR_RETURN(const Operand fall, node.Emit(quant::Mul{}, {negative, slope}, "fall"));
  if (fall.shape() != x.shape()) return MakeError(label::onnx_shape, "the slopes do not fit x");
  return node.Finish(quant::Add{}, {rise, fall});
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

// By bounds that are computed, or of integers, what ONNX defines it as: the smaller of `max` and the
// larger of x and `min`.
absl::Status ImportClip(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 3));
  ASSIGN_OR_RETURN(Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const std::optional<float> low, KnownBound(node, 1, -kLargest));
  ASSIGN_OR_RETURN(const std::optional<float> high, KnownBound(node, 2, kLargest));
  if (low.has_value() && high.has_value() && !IsInteger(x)) return FinishClip(node, x, *low, *high);
  const quant::Shape shape = x.shape();
  const auto bounded_by = [&](size_t index, std::string_view step) -> absl::Status {
    if (!node.HasInput(index)) return absl::OkStatus();
    ASSIGN_OR_RETURN(Operand bound, node.Input(index));
    if (bound.shape().size() > shape.size()) {
      ASSIGN_OR_RETURN(bound, node.Emit(quant::Reshape{{}}, {bound}, std::string(step) + ".scalar"));
    }
    const bool is_low = index == 1;
    quant::Op op = is_low ? quant::Op(quant::Max{}) : quant::Op(quant::Min{});
    if (IsInteger(x)) op = quant::IntegerArithmetic{is_low ? Kind::kMax : Kind::kMin};
    ASSIGN_OR_RETURN(x, node.Emit(std::move(op), {x, bound}, step));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(bounded_by(1, "above"));
  RETURN_IF_ERROR(bounded_by(2, "below"));
  return node.FinishAs(x);
}

}  // namespace tally::onnx
