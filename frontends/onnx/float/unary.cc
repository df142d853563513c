// Functions of one value.
#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

using quant::Slopes;
using quant::Unary;

template <typename Function>  // Unary or Slopes
absl::Status Finish(NodeContext& node, const Function& function) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.Finish(function, {x});
}

absl::Status FinishOf(NodeContext& node, absl::StatusOr<Operand> (*function)(Emitter&, const Operand&)) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.FinishAs(function(node, x));
}

absl::Status FinishWithAlpha(NodeContext& node, RecipeFunction function, float fallback) {
  ASSIGN_OR_RETURN(const float alpha, node.attributes().Float("alpha", fallback));
  return Finish(node, Unary{function, alpha});
}

}  // namespace

absl::Status ImportAbs(NodeContext& node) { return FinishOf(node, Magnitude); }
absl::Status ImportNeg(NodeContext& node) { return FinishOf(node, Negative); }
absl::Status ImportSign(NodeContext& node) { return FinishOf(node, SignOf); }

absl::Status ImportAcos(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kAcos}); }
absl::Status ImportAcosh(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kAcosh}); }
absl::Status ImportAsin(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kAsin}); }
absl::Status ImportAsinh(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kAsinh}); }
absl::Status ImportAtan(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kAtan}); }
absl::Status ImportAtanh(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kAtanh}); }
absl::Status ImportCeil(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kCeil}); }
absl::Status ImportCos(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kCos}); }
absl::Status ImportCosh(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kCosh}); }
absl::Status ImportErf(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kErf}); }
absl::Status ImportExp(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kExp}); }
absl::Status ImportFloor(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kFloor}); }
absl::Status ImportLog(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kLog}); }
absl::Status ImportMish(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kMish}); }
absl::Status ImportReciprocal(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kReciprocal}); }
absl::Status ImportRound(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kRoundHalfEven}); }
absl::Status ImportSigmoid(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kSigmoid}); }
absl::Status ImportSin(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kSin}); }
absl::Status ImportSinh(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kSinh}); }
absl::Status ImportSoftplus(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kSoftplus}); }
absl::Status ImportSoftsign(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kSoftsign}); }
absl::Status ImportSqrt(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kSqrt}); }
absl::Status ImportTan(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kTan}); }
absl::Status ImportTanh(NodeContext& node) { return Finish(node, Unary{RecipeFunction::kTanh}); }

absl::Status ImportCelu(NodeContext& node) { return FinishWithAlpha(node, RecipeFunction::kCelu, 1); }
absl::Status ImportElu(NodeContext& node) { return FinishWithAlpha(node, RecipeFunction::kElu, 1); }
absl::Status ImportThresholdedRelu(NodeContext& node) {
  return FinishWithAlpha(node, RecipeFunction::kThreshold, 1);
}

absl::Status ImportHardSigmoid(NodeContext& node) {
  ASSIGN_OR_RETURN(const float alpha, node.attributes().Float("alpha", 0.2f));
  ASSIGN_OR_RETURN(const float beta, node.attributes().Float("beta", 0.5f));
  return Finish(node, Unary{RecipeFunction::kHardSigmoid, alpha, beta});
}

absl::Status ImportHardSwish(NodeContext& node) {
  return Finish(node, Unary{RecipeFunction::kHardSwish, 1.0f / 6, 0.5f});
}

absl::Status ImportSelu(NodeContext& node) {
  ASSIGN_OR_RETURN(const float alpha, node.attributes().Float("alpha", 1.67326319217681884765625f));
  ASSIGN_OR_RETURN(const float gamma, node.attributes().Float("gamma", 1.05070102214813232421875f));
  return Finish(node, Unary{RecipeFunction::kSelu, alpha, gamma});
}

absl::Status ImportGelu(NodeContext& node) {
  const absl::StatusOr<std::string> approximate = node.attributes().String("approximate", "none");
  RETURN_IF_ERROR(approximate.status());
  if (*approximate == "none") return Finish(node, Unary{RecipeFunction::kGelu});
  if (*approximate == "tanh") return Finish(node, Unary{RecipeFunction::kGeluTanh});
  return MakeError(label::model_malformed, "approximate is neither none nor tanh");
}

absl::Status ImportLeakyRelu(NodeContext& node) {
  ASSIGN_OR_RETURN(const float alpha, node.attributes().Float("alpha", 0.01f));
  return Finish(node, Slopes{alpha, 1});
}

// x * sigmoid(alpha x)
absl::Status ImportSwish(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const float alpha, node.attributes().Float("alpha", 1));
  return node.FinishAs(Swish(node, x, alpha));
}

// x + bias below -lambd, x - bias above lambd, else 0.
absl::Status ImportShrink(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const float bias, node.attributes().Float("bias", 0));
  ASSIGN_OR_RETURN(const float limit, node.attributes().Float("lambd", 0.5f));
  if (x.is_integer()) return MakeError(label::model_unsupported_type, "its input holds integers, not floats");
  const auto moved = [&](Comparison side, float bound, float shift, const Operand& other,
                         const char* step) -> absl::StatusOr<Operand> {
    ASSIGN_OR_RETURN(const Operand edge, node.NewConstant(bound, std::string(step) + "_edge"));
    ASSIGN_OR_RETURN(const Operand beyond, node.Emit(quant::Compare{side}, {x, edge}, step));
    ASSIGN_OR_RETURN(const Operand value, Affine(node, x, 1, shift));
    return node.Emit(quant::Where{}, {beyond, value, other}, std::string(step) + "_moved");
  };
  ASSIGN_OR_RETURN(const Operand zero, node.NewConstant(0.0f, "zero"));
  ASSIGN_OR_RETURN(const Operand above, moved(Comparison::kGreater, limit, -bias, zero, "above"));
  return node.FinishAs(moved(Comparison::kLess, -limit, bias, above, "below"));
}

absl::Status ImportPow(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand exponent, node.Input(1));
  return node.FinishAs(PowerOf(node, x, exponent));
}

}  // namespace tally::onnx
