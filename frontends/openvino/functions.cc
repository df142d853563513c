// Functions of one value.
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

using quant::Unary;

absl::Status Finish(IrNode& node, const Unary& function) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.Finish(function, {x});
}

absl::Status FinishOf(IrNode& node, absl::StatusOr<Operand> (*function)(Emitter&, const Operand&)) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.FinishAs(function(node, x));
}

// A function with two numbers, which are inputs 1 and 2.
absl::Status FinishWithTwo(IrNode& node, RecipeFunction function) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const double a, node.NumberConstant(1));
  ASSIGN_OR_RETURN(const double b, node.NumberConstant(2));
  return node.Finish(Unary{function, static_cast<float>(a), static_cast<float>(b)}, {x});
}

}  // namespace

absl::Status ImportAbs(IrNode& node) { return FinishOf(node, Magnitude); }
absl::Status ImportNegative(IrNode& node) { return FinishOf(node, Negative); }
absl::Status ImportSign(IrNode& node) { return FinishOf(node, SignOf); }

absl::Status ImportAcos(IrNode& node) { return Finish(node, {RecipeFunction::kAcos}); }
absl::Status ImportAcosh(IrNode& node) { return Finish(node, {RecipeFunction::kAcosh}); }
absl::Status ImportAsin(IrNode& node) { return Finish(node, {RecipeFunction::kAsin}); }
absl::Status ImportAsinh(IrNode& node) { return Finish(node, {RecipeFunction::kAsinh}); }
absl::Status ImportAtan(IrNode& node) { return Finish(node, {RecipeFunction::kAtan}); }
absl::Status ImportAtanh(IrNode& node) { return Finish(node, {RecipeFunction::kAtanh}); }
absl::Status ImportCeiling(IrNode& node) { return Finish(node, {RecipeFunction::kCeil}); }
absl::Status ImportCos(IrNode& node) { return Finish(node, {RecipeFunction::kCos}); }
absl::Status ImportCosh(IrNode& node) { return Finish(node, {RecipeFunction::kCosh}); }
absl::Status ImportErf(IrNode& node) { return Finish(node, {RecipeFunction::kErf}); }
absl::Status ImportExp(IrNode& node) { return Finish(node, {RecipeFunction::kExp}); }
absl::Status ImportFloor(IrNode& node) { return Finish(node, {RecipeFunction::kFloor}); }
absl::Status ImportLog(IrNode& node) { return Finish(node, {RecipeFunction::kLog}); }
absl::Status ImportMish(IrNode& node) { return Finish(node, {RecipeFunction::kMish}); }
absl::Status ImportSigmoid(IrNode& node) { return Finish(node, {RecipeFunction::kSigmoid}); }
absl::Status ImportSin(IrNode& node) { return Finish(node, {RecipeFunction::kSin}); }
absl::Status ImportSinh(IrNode& node) { return Finish(node, {RecipeFunction::kSinh}); }
absl::Status ImportSoftPlus(IrNode& node) { return Finish(node, {RecipeFunction::kSoftplus}); }
absl::Status ImportSoftSign(IrNode& node) { return Finish(node, {RecipeFunction::kSoftsign}); }
absl::Status ImportSqrt(IrNode& node) { return Finish(node, {RecipeFunction::kSqrt}); }
absl::Status ImportTan(IrNode& node) { return Finish(node, {RecipeFunction::kTan}); }
absl::Status ImportTanh(IrNode& node) { return Finish(node, {RecipeFunction::kTanh}); }
absl::Status ImportHSwish(IrNode& node) { return Finish(node, {RecipeFunction::kHardSwish, 1.0f / 6, 0.5f}); }
absl::Status ImportHSigmoid(IrNode& node) {
  return Finish(node, {RecipeFunction::kHardSigmoid, 1.0f / 6, 0.5f});
}

absl::Status ImportHardSigmoid(IrNode& node) { return FinishWithTwo(node, RecipeFunction::kHardSigmoid); }
absl::Status ImportSelu(IrNode& node) { return FinishWithTwo(node, RecipeFunction::kSelu); }

absl::Status ImportElu(IrNode& node) {
  ASSIGN_OR_RETURN(const float alpha, node.Float("alpha"));
  return Finish(node, {RecipeFunction::kElu, alpha});
}

absl::Status ImportGelu(IrNode& node) {
  ASSIGN_OR_RETURN(const std::string mode, node.Word("approximation_mode", "erf"));
  if (mode == "erf") return Finish(node, {RecipeFunction::kGelu});
  if (mode == "tanh") return Finish(node, {RecipeFunction::kGeluTanh});
  return Malformed("approximation_mode is neither erf nor tanh");
}

absl::Status ImportRound(IrNode& node) {
  ASSIGN_OR_RETURN(const std::string mode, node.Word("mode", "half_to_even"));
  if (mode != "half_to_even") return Unsupported("mode " + mode + " of Round");
  return Finish(node, {RecipeFunction::kRoundHalfEven});
}

absl::Status ImportClamp(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const float low, node.Float("min"));
  ASSIGN_OR_RETURN(const float high, node.Float("max"));
  if (low > high) return Malformed("min is above max");
  return node.FinishAs(Clip(node, x, low, high));
}

absl::Status ImportReLU(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.Finish(quant::Relu{}, {x});
}

// Frameworks mean the channels by a list, whatever follows them.
absl::Status ImportPReLU(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(Operand slope, node.Input(1));
  const quant::Shape& shape = x.shape();
  if (slope.shape().size() == 1 && shape.size() >= 2 && slope.shape()[0] == shape[1]) {
    quant::Shape wanted(shape.size(), 1);
    wanted[1] = shape[1];
    ASSIGN_OR_RETURN(slope, node.Emit(quant::Reshape{wanted}, {slope}, "slopes"));
  }
  return node.FinishAs(ParametricRelu(node, x, slope));
}

absl::Status ImportSwish(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  double beta = 1;
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(beta, node.NumberConstant(1));
  }
  return node.FinishAs(Swish(node, x, static_cast<float>(beta)));
}

}  // namespace tally::openvino
